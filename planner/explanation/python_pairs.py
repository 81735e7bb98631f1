"""Picking two neighbouring Python operators by `A:B`, with all of PyFlink's merge conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planner.explanation.python_layer import PartRef, part_of
from planner.explanation.selection import splits
from planner.merging.condition import Pair
from planner.merging.pairs import check_merge_conditions, pair_inside
from planner.operators import describe_written, matches
from planner.pipeline import Plan
from planner.records import record
from planner.rules import Checked

__all__ = ["CheckedPair", "select_pairs"]


@record
class CheckedPair:
    """Two neighbouring Python operators and how every merge condition came out on them."""

    upstream: PartRef
    downstream: PartRef
    merged: bool
    nodes: tuple[int, int]  # stream nodes; the same where they are merged
    conditions: tuple[Checked, ...]

    def to_dict(self) -> dict[str, Any]:
        """The pair as JSON-ready data."""
        return {
            "upstream": self.upstream.to_dict(),
            "downstream": self.downstream.to_dict(),
            "merged": self.merged,
            "nodes": list(self.nodes),
            "conditions": [condition.to_dict() for condition in self.conditions],
        }


def select_pairs(plan: Plan, wanted: str) -> list[CheckedPair]:
    """The neighbouring Python operators that `A:B` means; empty where it means none."""
    operators = describe_written(plan)
    pairs = list(_pairs(plan))
    for before, after in splits(wanted):
        sources = {ref.key for ref in matches(before, operators)}
        targets = {ref.key for ref in matches(after, operators)}
        found = [pair for pair in pairs if pair.upstream.key in sources and pair.downstream.key in targets]
        if found:
            return found
    return []


def _pairs(plan: Plan) -> Iterator[CheckedPair]:
    if plan.merging is None:
        return
    for merged in plan.merging.merged:
        for up, down in zip(merged.merged, merged.merged[1:], strict=False):
            yield _checked(pair_inside(merged, up, down), True, (merged.id, merged.id))
    for verdict in plan.merging.apart:
        yield _checked(verdict.pair, False, (verdict.pair.upstream.id, verdict.pair.downstream.id))


def _checked(pair: Pair, merged: bool, nodes: tuple[int, int]) -> CheckedPair:
    up = pair.upstream.merged[-1] if pair.upstream.merged else pair.upstream
    down = pair.downstream.merged[0] if pair.downstream.merged else pair.downstream
    return CheckedPair(
        upstream=part_of(up),
        downstream=part_of(down),
        merged=merged,
        nodes=nodes,
        conditions=check_merge_conditions(pair),
    )
