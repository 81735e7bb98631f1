"""The downstream operator begins a chain."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule, as_written, never
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    strategy = edge.downstream.chaining_strategy
    if strategy not in ("NEVER", "HEAD"):
        return None
    seen, operator = f"{edge.downstream.name} has the strategy {strategy}", edge.downstream.operator
    if operator.chaining is None:  # no setting of the user's would change it
        sorts = edge.downstream.sorted_input
        why = "its input is sorted" if sorts else "before Flink 2.0 two inputs start a chain"
        return RULE.obstacle(f"{seen} ({why})", None, needed=sorts, side="downstream")
    call = "disable_chaining()" if operator.chaining == "disable" else "start_new_chain()"
    return RULE.obstacle(
        seen,
        f"remove {as_written(operator, call, f'chaining: {operator.chaining}')} from {operator.key}",
        settings=(f"{operator.key}.chaining=none",),
        side="downstream",
    )


def _holds(edge: Candidate) -> str:
    return f"{edge.downstream.name} has the strategy {edge.downstream.chaining_strategy}"


RULE = ChainingRule(
    code="CH005",
    slug="downstream-starts-new-chain",
    about="strategy",
    summary="the downstream strategy is NEVER or HEAD",
    checks=(
        "Whether the downstream operator has `start_new_chain()` or `disable_chaining()`, or is keyed in "
        "batch mode, where Flink sorts its input and makes it the head of a chain. Before Flink 2.0 (`--flink 1.20`) "
        "an operator with two inputs starts a chain too."
    ),
    why=("The operator is the first of its task. What comes before it reaches it over an exchange."),
    fix=("Remove the call. In batch mode a keyed operator always starts a chain; there is nothing to change."),
    example="""\
stream.map(parse).start_new_chain()   # the edge into Map shows CH005
""",
    find=_find,
    holds=_holds,
    ordinary=never,
)
