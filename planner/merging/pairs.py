"""Neighbouring Python operators, and how the merge conditions came out on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.job import Operator, Transformation
from planner.merging.condition import Pair
from planner.merging.registry import RULES
from planner.merging.workspace import Workspace
from planner.records import record
from planner.rules import Checked, Obstacle

__all__ = ["PairVerdict", "check_merge_conditions", "obstacles_of", "pair_inside", "pair_of", "unmerged_pairs"]


@record
class PairVerdict:
    """Two Python operators next to each other in the finished job that run in processes of their own."""

    pair: Pair
    obstacles: tuple[Obstacle, ...]

    @property
    def upstream(self) -> Operator:
        """The operator before, as the user wrote it: the last one that was merged into it."""
        return self.pair.upstream.merged[-1] if self.pair.upstream.merged else self.pair.upstream

    @property
    def downstream(self) -> Operator:
        """The operator downstream, as the user wrote it: the first one of those merged."""
        return self.pair.downstream.merged[0] if self.pair.downstream.merged else self.pair.downstream

    def to_dict(self) -> dict[str, Any]:
        """The pair as JSON-ready data."""
        return {
            "upstream": self.upstream.key,
            "downstream": self.downstream.key,
            "nodes": [self.pair.upstream.id, self.pair.downstream.id],
            "obstacles": [
                {"code": o.code, "slug": o.slug, "values": o.values, "change": o.change, "needed": o.needed}
                for o in self.obstacles
            ],
        }


def pair_of(
    work: Workspace,
    consumers: Mapping[int, Mapping[int, None]],
    downstream: Operator,
    upstream: Operator,
    path: tuple[Transformation, ...],
) -> Pair:
    """Two neighbours as the conditions see them."""
    return Pair(
        upstream=upstream,
        downstream=downstream,
        path=path,
        upstream_parallelism=work.parallelism(upstream.id),
        downstream_parallelism=work.parallelism(downstream.id),
        consumers=len(consumers.get(upstream.id, ())),
        merging=work.layer.merge,
    )


def obstacles_of(pair: Pair) -> tuple[Obstacle, ...]:
    """All conditions that do not hold; none hides another."""
    return tuple(rule.describe(pair) for rule in RULES if rule.fails(pair))


def check_merge_conditions(pair: Pair) -> tuple[Checked, ...]:
    """How all merge conditions came out on a pair, in the order of their codes."""
    return tuple(rule.checked(pair, pair) for rule in RULES)


def pair_inside(merged: Operator, upstream: Operator, downstream: Operator) -> Pair:
    """Two neighbours that were merged, as the conditions saw them."""
    parallelism = merged.parallelism or 1
    return Pair(
        upstream=upstream,
        downstream=downstream,
        path=(),
        upstream_parallelism=parallelism,
        downstream_parallelism=parallelism,
        consumers=1,
        merging=True,
    )


def unmerged_pairs(
    work: Workspace, consumers: Mapping[int, Mapping[int, None]], finished: list[int]
) -> tuple[PairVerdict, ...]:
    """Every two neighbouring Python operators of the finished job, with the reasons why they stayed apart."""
    verdicts = []
    for identity in finished:
        step = work.steps[identity]
        if not isinstance(step, Operator) or step.python is None:
            continue
        for read in step.inputs:
            for upstream, path in work.operators_upstream(read):
                if upstream.python is not None:
                    pair = pair_of(work, consumers, step, upstream, path)
                    verdicts.append(PairVerdict(pair=pair, obstacles=obstacles_of(pair)))
    return tuple(verdict for verdict in verdicts if verdict.obstacles)
