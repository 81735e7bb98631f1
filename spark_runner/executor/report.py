"""What one Python subtask reports when it has finished, and how reports travel to the driver.

Runs on executors: standard library only. The accumulator's parameter is loaded by name on every worker.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["ReportList", "SubtaskReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskReport:
    """Where and how long one subtask of a pass ran, and how many records it took and gave."""

    number: int  # of the pass
    subtask: int
    stage: int
    attempt: int
    host: str
    started: float  # seconds since the epoch
    seconds: float
    taken: tuple[int, int]  # by input position
    nodes: tuple[tuple[int, int], ...]  # by operator of the pass: records taken, records given
    outlets: tuple[int, ...]  # by outlet of the pass

    @property
    def ended(self) -> float:
        """When it finished, in seconds since the epoch."""
        return self.started + self.seconds

    def to_json(self) -> str:
        """The report as a text for a column."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> SubtaskReport:
        """The report that `to_json` gave."""
        return cls(**{name: _frozen(value) for name, value in json.loads(text).items()})


class ReportList:
    """How an accumulator of reports adds: one list after another. Spark asks for these two methods by name."""

    def zero(self, value: list[SubtaskReport]) -> list[SubtaskReport]:
        """An empty list."""
        return []

    def addInPlace(self, value1: list[SubtaskReport], value2: list[SubtaskReport]) -> list[SubtaskReport]:
        """Both lists."""
        value1.extend(value2)
        return value1


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
