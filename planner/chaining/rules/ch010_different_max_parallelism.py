"""Max parallelism differs, and the job forbids chaining across that."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule, never
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    up, down = edge.upstream.max_parallelism, edge.downstream.max_parallelism
    if up == down or edge.chain_different_max_parallelism:
        return None
    key = edge.downstream.operator.key
    return RULE.obstacle(
        f"max parallelism {_shown(up)} -> {_shown(down)}",
        f"give {key} the max parallelism {_shown(up)}",
        settings=(f"{key}.max_parallelism={up if up > 0 else 'none'}",),
    )


def _shown(max_parallelism: int) -> str:
    return "unset" if max_parallelism < 0 else str(max_parallelism)


def _holds(edge: Candidate) -> str:
    up, down = edge.upstream.max_parallelism, edge.downstream.max_parallelism
    if up == down:
        return f"{_shown(up)} on both"
    return f"{_shown(up)} -> {_shown(down)}, which the job allows"


RULE = ChainingRule(
    code="CH010",
    slug="different-max-parallelism",
    about="max parallelism",
    summary="max parallelism differs and the job does not allow chaining across that",
    checks=(
        "The max parallelism of both operators, where the option `pipeline.operator-chaining.chain-operators- "
        "with-different-max-parallelism` (YAML: `chain_different_max_parallelism`) is false."
    ),
    why=(
        "Max parallelism is the number of key groups of an operator's state and cannot change later. A chain "
        "takes the max parallelism of its head, so chaining across a difference would limit one of the two "
        "when the job is rescaled."
    ),
    fix=(
        "Set the max parallelism once, on the job. Or allow chaining across it (the default), if the "
        "operators behind the head hold no keyed state."
    ),
    example="""\
env.configure({"pipeline.operator-chaining.chain-operators-with-different-max-parallelism": False})
source.map(parse).set_max_parallelism(512)   # CH010
""",
    find=_find,
    holds=_holds,
    ordinary=never,
)
