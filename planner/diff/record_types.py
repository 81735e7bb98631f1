"""The type of the records that reach an operator, as far as the job says it: state is saved in that type."""

from __future__ import annotations

from planner.kinds import KEEPS_COLUMNS
from planner.snapshots.function_text import gives_columns
from planner.snapshots.snapshot import OperatorSnapshot, Snapshot
from planner.topology import topological_order

_UNTYPED = "any type"  # Python objects are saved pickled, whatever they are


def entering_types(snapshot: Snapshot) -> list[tuple[str, ...]]:
    """For every operator, the types of what it reads, by input."""
    inputs: list[list[tuple[int, int]]] = [[] for _ in snapshot.operators]
    for edge in snapshot.edges:
        inputs[edge.target].append((edge.input, edge.source))
    leaving = [_UNTYPED] * len(snapshot.operators)
    entering: list[tuple[str, ...]] = [() for _ in snapshot.operators]
    ends = [(edge.source, edge.target) for edge in snapshot.edges]
    for at in topological_order(range(len(snapshot.operators)), ends):
        read = {(number, leaving[source]) for number, source in inputs[at]}
        entering[at] = tuple(text for _, text in sorted(read))
        leaving[at] = _leaving(snapshot.operators[at], entering[at])
    return entering


def _leaving(operator: OperatorSnapshot, entering: tuple[str, ...]) -> str:
    if operator.output is not None:
        return operator.output
    if operator.does is not None and gives_columns(operator.does):
        return operator.does
    return entering[0] if operator.kind in KEEPS_COLUMNS and len(entering) == 1 else _UNTYPED
