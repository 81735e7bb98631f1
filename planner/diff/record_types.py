"""The type of the records that reach an operator, as far as the job says it: state is saved in that type."""

from __future__ import annotations

from collections.abc import Sequence

from planner.snapshots.snapshot import OperatorSnapshot, Snapshot

# These give out records as they come in.
_PASS_ON = frozenset({"filter", "watermarks", "sum", "min", "max", "reduce"})
_UNTYPED = "any type"  # Python objects are saved pickled, whatever they are


def entering_types(snapshot: Snapshot) -> list[tuple[str, ...]]:
    """For every operator, the types of what it reads, by input."""
    inputs: list[list[tuple[int, int]]] = [[] for _ in snapshot.operators]
    outputs: list[list[int]] = [[] for _ in snapshot.operators]
    for edge in snapshot.edges:
        inputs[edge.target].append((edge.input, edge.source))
        outputs[edge.source].append(edge.target)
    leaving = [_UNTYPED] * len(snapshot.operators)
    entering: list[tuple[str, ...]] = [() for _ in snapshot.operators]
    for at in _from_sources(inputs, outputs):
        read = {(number, leaving[source]) for number, source in inputs[at]}
        entering[at] = tuple(text for _, text in sorted(read))
        leaving[at] = _leaving(snapshot.operators[at], entering[at])
    return entering


def _leaving(operator: OperatorSnapshot, entering: tuple[str, ...]) -> str:
    if operator.output is not None:
        return operator.output
    if operator.does is not None and operator.does.startswith(("select ", "explode ")):
        return operator.does
    return entering[0] if operator.kind in _PASS_ON and len(entering) == 1 else _UNTYPED


def _from_sources(inputs: Sequence[Sequence[tuple[int, int]]], outputs: Sequence[Sequence[int]]) -> list[int]:
    waiting = [len(found) for found in inputs]
    order = [at for at, count in enumerate(waiting) if count == 0]
    for at in order:  # grows while it is walked
        for target in outputs[at]:
            waiting[target] -= 1
            if waiting[target] == 0:
                order.append(target)
    return order
