"""Difference: one thing that changed between versions of Flink, with its value from each version on."""

from __future__ import annotations

from typing import Generic, TypeVar

from planner.flink.versions import is_before
from planner.records import record

__all__ = ["Difference"]

Value = TypeVar("Value")


@record
class Difference(Generic[Value]):
    """One field of FlinkProfile: `since` has the first version of each value, oldest first."""

    field: str
    summary: str  # one sentence for people who upgrade
    since: tuple[tuple[str, Value], ...]

    def at(self, version: str) -> Value:
        """The value in one version."""
        value = self.since[0][1]
        for first, following in self.since[1:]:
            if not is_before(version, first):
                value = following
        return value
