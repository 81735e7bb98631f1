"""Transformations while the user still configures them, and freezing them into a job definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planner.job import Location, Operator, Partition, SideOutput, Transformation, Union

__all__ = ["Node", "freeze"]


@dataclass(slots=True, eq=False)
class Node:
    """One transformation under construction."""

    form: type[Any]  # Operator, Union, Partition or SideOutput
    inputs: tuple[Node, ...]
    arguments: dict[str, Any]
    location: Location

    @property
    def kind(self) -> str:
        """The operator's kind, or what the virtual step is."""
        return str(self.arguments.get("kind") or self.arguments.get("partitioner") or self.form.__name__).lower()


def freeze(nodes: Sequence[Node]) -> tuple[Transformation, ...]:
    """The transformations of nodes in creation order, with ids from 1."""
    ids = {id(node): position for position, node in enumerate(nodes, start=1)}
    counts: Counter[str] = Counter()
    taken: set[str] = set()
    frozen: list[Transformation] = []
    for node in nodes:
        inputs = tuple(ids[id(upstream)] for upstream in node.inputs)
        frozen.append(_freeze_one(node, ids[id(node)], inputs, counts, taken))
    return tuple(frozen)


def _freeze_one(
    node: Node, identity: int, inputs: tuple[int, ...], counts: Counter[str], taken: set[str]
) -> Transformation:
    if node.form is Operator:
        kind = node.arguments["kind"]
        counts[kind] += 1
        key = node.arguments.get("uid") or f"{kind}-{counts[kind]}"
        key = key if key not in taken else f"{kind}-{counts[kind]}"
        taken.add(key)
        return Operator(id=identity, key=key, inputs=inputs, location=node.location, **node.arguments)
    if node.form is Union:
        return Union(id=identity, inputs=inputs, location=node.location)
    if node.form is Partition:
        return Partition(id=identity, input=inputs[0], location=node.location, **node.arguments)
    return SideOutput(id=identity, input=inputs[0], location=node.location, **node.arguments)
