"""The two operators are in different slot sharing groups."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule, never
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    up, down = edge.upstream.slot_sharing_group, edge.downstream.slot_sharing_group
    if up == down:
        return None
    key = edge.downstream.operator.key
    return RULE.obstacle(
        f"slot sharing group {up} -> {down}",
        f"put {key} into slot sharing group {up}",
        settings=(f"{key}.slot_sharing_group={up}",),
    )


def _holds(edge: Candidate) -> str:
    return f"both in {edge.upstream.slot_sharing_group!r}"


RULE = ChainingRule(
    code="CH003",
    slug="different-slot-sharing-group",
    about="slot sharing group",
    summary="the two operators are in different slot sharing groups",
    checks=(
        "The slot sharing group of both operators. An operator without one of its own takes the group that "
        "all its inputs agree on, else `default`."
    ),
    why=(
        "A chain is one task in one slot, and operators of different groups never share a slot. A group set "
        "on one operator is inherited downstream, so one call can split a pipeline in two and raise the "
        "number of slots."
    ),
    fix=("Give both operators the same group, or set the group at the source if the whole pipeline is meant."),
    example="""\
source.map(parse).slot_sharing_group("heavy")   # the edge source -> Map shows CH003
""",
    find=_find,
    holds=_holds,
    ordinary=never,
)
