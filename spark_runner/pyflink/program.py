"""A PyFlink job as Spark will run it: vertices in layers, each subtask a loop over its parts. No PySpark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from planner.graphs.stream_graph import StreamNode
from planner.job import Operator, Reader, Writer
from spark_runner.executor.layout import Layout

__all__ = ["Counted", "ScriptJob", "ScriptSink", "ScriptSource"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptSource:
    """Where records come in: those of the job itself, or what a reader of Spark gives."""

    vertex: int
    node: int
    name: str
    operator: Operator
    records: Any = None  # a sequence
    reader: Reader | None = None
    paths: tuple[str, ...] = ()  # of a reader of files
    columns: str = ""  # DDL of what a reader gives
    bounded: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptSink:
    """Where records leave. `edge` is the number of the edge that ends here."""

    number: int
    kind: Literal["print", "collect", "write"]
    vertex: int
    node: int
    edge: int
    operator: Operator
    name: str
    parallelism: int
    identifier: str | None = None
    writer: Writer | None = None
    columns: str | None = None  # DDL of what a writer takes


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
class ScriptJob:
    """The whole job."""

    layout: Layout
    sources: tuple[ScriptSource, ...]
    sinks: tuple[ScriptSink, ...]
    counted: Mapping[int, tuple[Counted, ...]]  # by vertex
    owners: Mapping[int, tuple[tuple[StreamNode, Operator], ...]]  # by vertex: whose every part is
