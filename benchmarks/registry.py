"""Every group of figures, in the order in which a reader cares: what everybody pays, then large jobs, then Spark."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.figure import Figure

__all__ = ["GROUPS", "Group"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Figures that are measured together by the module of the same name in `benchmarks/rows`."""

    name: str
    title: str
    only_by_name: bool = False  # too long for every run

    def figures(self, *, quick: bool) -> Iterator[Figure]:
        """Measure; the module is imported now, because some need what not every machine has."""
        module = importlib.import_module(f"benchmarks.rows.{self.name}")
        yield from module.figures(quick=quick)


GROUPS = (
    Group(name="startup", title="Start-up"),
    Group(name="planning", title="Planning, all four graphs, next to real Flink 2.3.0"),
    Group(name="compiler", title="Flink's own compiler, next to Flink's own plan of the same job"),
    Group(name="linting", title="Lint"),
    Group(name="placement", title="Placement"),
    Group(name="command", title="Spark: from command to result"),
    Group(name="jobs", title="Spark: a plan next to the same pipeline by hand"),
    Group(name="nexmark", title="Spark: Nexmark queries next to the same queries by hand"),
    Group(name="streams", title="Streams: a plan next to the same job by hand"),
    Group(name="soak", title="A long stream", only_by_name=True),
)
