"""Max parallelism differs, and the job forbids chaining across that."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    up, down = edge.upstream.max_parallelism, edge.downstream.max_parallelism
    if up == down or edge.chain_different_max_parallelism:
        return None
    shown = f"max parallelism {_shown(up)} -> {_shown(down)}"
    return RULE.obstacle(shown, f"give {edge.downstream.operator.key} the max parallelism {_shown(up)}")


def _shown(max_parallelism: int) -> str:
    return "unset" if max_parallelism < 0 else str(max_parallelism)


RULE = ChainingRule(
    code="CH010",
    slug="different-max-parallelism",
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
)
