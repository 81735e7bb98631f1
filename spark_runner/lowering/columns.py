"""Mistakes in columns, SQL, types and formats, found in the plan alone: before a JVM starts, and by --dry-run.

The columns of a stream are known where an operator declares them or where SQL makes them. Where they are not, Spark
finds the mistake when it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NoReturn

from planner.errors import JobDefinitionError
from planner.graphs.stream_graph import StreamGraph, StreamNode
from planner.job import (
    Aggregate,
    Explode,
    JobDefinition,
    Operator,
    Partition,
    Reader,
    Select,
    SideOutput,
    Watermarks,
    Where,
    Window,
    Writer,
)
from planner.job import Sequence as NumberSequence
from planner.kinds import KEEPS_COLUMNS
from planner.pipeline import Plan
from spark_runner.lowering.ddl import declared_columns
from spark_runner.lowering.sql_faults import expression_fault, format_fault, types_fault
from spark_runner.lowering.sql_names import columns_read

__all__ = ["check_columns"]

Names = tuple[str, ...]


def check_columns(plan: Plan, *, packages: bool = False) -> None:
    """Raise JobDefinitionError for an unknown column, and for SQL, types and formats that Spark would refuse.

    With `packages`, functions and formats may come from them.
    """
    checks = _Columns(plan.job, plan.stream_graph)
    for node in plan.stream_graph.nodes:  # ids grow along the stream
        if node.role != "committer":
            _check_words(node.operator, packages)
            checks.check(node)


def _check_words(operator: Operator, packages: bool) -> None:
    """Refuse what is surely wrong in an operator's own SQL, types and format."""
    for sql in _expressions(operator):
        fault = expression_fault(sql, functions=not packages)
        if fault is not None:
            _refuse(operator, f"{sql!r} is not valid SQL: {fault[0]}", fault[1])
    if operator.output is not None:
        fault = types_fault(operator.output)
        if fault is not None:
            _refuse(operator, fault[0], fault[1])
    behaviour = operator.behaviour
    if isinstance(behaviour, Reader | Writer) and not packages:
        fault = format_fault(behaviour.format)
        if fault is not None:
            _refuse(operator, fault[0], fault[1])


def _refuse(operator: Operator, message: str, hint: str | None) -> NoReturn:
    raise JobDefinitionError(f"operator {operator.key!r}: {message}", location=operator.location, hint=hint)


class _Columns:
    def __init__(self, job: JobDefinition, graph: StreamGraph) -> None:
        self._job, self._graph = job, graph
        self._known: dict[int, Names | None] = {}
        self._sides = {(s.input, s.tag): s for s in job.transformations if isinstance(s, SideOutput)}

    def check(self, node: StreamNode) -> None:
        """Check one operator, and note what it gives."""
        operator, inputs = node.operator, self._inputs(node)
        for position, names in enumerate(inputs):
            if names is not None:
                self._check_key(operator, position, names)
        if len(inputs) == 1 and inputs[0] is not None:
            self._check_behaviour(operator, inputs[0])
        self._known[node.id] = _given(operator, inputs)

    def _inputs(self, node: StreamNode) -> list[Names | None]:
        """The columns at each input position; None where they are not known, or where a union's differ."""
        found: dict[int, set[Names | None]] = {}
        for at in self._graph.in_edges.get(node.id, ()):
            edge = self._graph.edges[at]
            names = self._known.get(edge.source)
            if edge.side_output is not None:
                side = self._sides.get((self._graph.by_id[edge.source].operator.id, edge.side_output))
                names = declared_columns(side.output) if side is not None and side.output is not None else None
            found.setdefault(max(0, edge.type_number - 1), set()).add(names)
        for together in found.values():
            _check_union(node.operator, [names for names in together if names is not None])
        return [next(iter(found[position])) if len(found[position]) == 1 else None for position in sorted(found)]

    def _check_key(self, operator: Operator, position: int, names: Names) -> None:
        if position < len(operator.inputs):
            partition = self._job.by_id[operator.inputs[position]]
            if isinstance(partition, Partition):
                for column in partition.key_columns:
                    _require(operator, "key", column, names)

    def _check_behaviour(self, operator: Operator, names: Names) -> None:
        behaviour = operator.behaviour
        if isinstance(behaviour, Aggregate):
            _check_field(operator, behaviour.field, names)
        if isinstance(behaviour, Watermarks | Window) and behaviour.time is not None:
            _require(operator, "time", behaviour.time, names)
        for sql in _expressions(operator):
            for column in sorted(columns_read(sql) or ()):
                _require(operator, "column", column, names)


def _expressions(operator: Operator) -> Iterator[str]:
    behaviour = operator.behaviour
    if isinstance(behaviour, Where):
        yield behaviour.condition
    elif isinstance(behaviour, Select):
        yield from (sql for _, sql in behaviour.columns)
    elif isinstance(behaviour, Explode):
        yield behaviour.expression


def _given(operator: Operator, inputs: Sequence[Names | None]) -> Names | None:
    behaviour = operator.behaviour
    if isinstance(behaviour, Reader) and behaviour.path is not None and "." not in PurePath(behaviour.path).name:
        return None  # the names of folders inside may be columns too
    if operator.output is not None:
        return declared_columns(operator.output)
    if isinstance(behaviour, NumberSequence):
        return ("value",)
    if isinstance(behaviour, Select):
        return tuple(name for name, _ in behaviour.columns)
    if isinstance(behaviour, Explode):
        return (behaviour.column,)
    return inputs[0] if operator.kind in KEEPS_COLUMNS and inputs else None


def _check_union(operator: Operator, found: list[Names]) -> None:
    """Refuse streams of the same columns in another order: by name and by position would be two results."""
    if any(sorted(names) == sorted(found[0]) and names != found[0] for names in found[1:]):
        orders = " and ".join(sorted(f"({', '.join(names)})" for names in found))
        raise JobDefinitionError(
            f"operator {operator.key!r} reads a union of rows whose fields come in another order: {orders}",
            location=operator.location,
            hint="declare the fields in one order, with a map upstream of the union where they differ",
        )


def _check_field(operator: Operator, field: str | int, names: Names) -> None:
    if isinstance(field, str):
        _require(operator, "field", field, names)
    elif not 0 <= field < len(names):
        raise JobDefinitionError(
            f"operator {operator.key!r}: there is no field {field}, its input has {len(names)}",
            location=operator.location,
            hint=f"the columns are {', '.join(names)}",
        )


def _require(operator: Operator, what: str, column: str, names: Names) -> None:
    if column.casefold() not in {name.casefold() for name in names}:
        raise JobDefinitionError(
            f"operator {operator.key!r}: its {what} {column!r} is not a column of its input",
            location=operator.location,
            hint=f"the columns are {', '.join(names)}",
        )
