"""A PyFlink job as Spark will run it: vertices in layers, each subtask a loop over its parts. No PySpark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from planner.job import Operator
from spark_runner.executor.streaming.layout import Layout

__all__ = ["BoundedJob", "BoundedSink", "BoundedSource", "Counted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedSource:
    """Where records come in: those of the job itself, or lines of text that Spark reads."""

    vertex: int
    operator: Operator
    records: Any = None  # a sequence
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedSink:
    """Where records leave. `edge` is the number of the edge that ends here."""

    number: int
    kind: Literal["print", "collect", "text"]
    vertex: int
    edge: int
    operator: Operator
    name: str
    parallelism: int
    identifier: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Which parts of a vertex a node's figures come from: what the first took, what the last gave."""

    node: int
    key: str
    name: str
    first: int
    last: int
    source: bool = False
    sink: bool = False


@dataclass(frozen=True, kw_only=True)
class BoundedJob:
    """The whole job."""

    layout: Layout
    sources: tuple[BoundedSource, ...]
    sinks: tuple[BoundedSink, ...]
    counted: Mapping[int, tuple[Counted, ...]]  # by vertex
