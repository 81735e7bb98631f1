"""The downstream operator begins a chain."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    strategy = edge.downstream.chaining_strategy
    if strategy not in ("NEVER", "HEAD"):
        return None
    asked = edge.downstream.operator.chaining
    key = edge.downstream.operator.key
    if asked is None:
        # Batch mode sorts keyed input, legacy sources stand first: no setting of the user's would change it.
        return RULE.obstacle(
            f"{edge.downstream.name} has the strategy {strategy} (its input is sorted)", None, needed=True
        )
    call = "disable_chaining()" if asked == "disable" else "start_new_chain()"
    return RULE.obstacle(f"{edge.downstream.name} has the strategy {strategy}", f"remove {call} from {key}")


RULE = ChainingRule(
    code="CH005",
    slug="downstream-starts-new-chain",
    summary="the downstream strategy is NEVER or HEAD",
    checks=(
        "Whether the downstream operator was told `start_new_chain()` or `disable_chaining()`, or is keyed in "
        "batch mode, where Flink sorts its input and makes it the head of a chain."
    ),
    why=("The operator is the first of its task. What comes before it reaches it over an exchange."),
    fix=("Remove the call. In batch mode a keyed operator always starts a chain; there is nothing to change."),
    example="""\
stream.map(parse).start_new_chain()   # the edge into Map shows CH005
""",
    find=_find,
)
