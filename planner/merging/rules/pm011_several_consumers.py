"""The upstream operator has several consumers."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair


def _find(pair: Pair) -> MergeObstacle | None:
    if pair.consumers <= 1:
        return None
    return RULE.obstacle(f"{pair.consumers} transformations read {pair.upstream.name}", None)


def _holds(pair: Pair) -> str:
    return f"nothing else reads {pair.upstream.name}"


RULE = MergeRule(
    code="PM011",
    slug="several-consumers",
    summary="the upstream operator has several consumers",
    checks=(
        "How many transformations read the upstream operator. A side output, a partition and a union count, "
        "and so does a sink that `execute_and_collect` drops."
    ),
    why=(
        "A merged operator has one output. If a second consumer reads the upstream operator, it must stay an "
        "operator of its own."
    ),
    fix=("Nothing to fix where both consumers are needed. Put the common work into one operator and branch behind it."),
    example="""\
parsed = stream.map(parse)
parsed.map(clean)
parsed.print()   # parsed has two consumers: neither merges with it
""",
    holds=_holds,
    find=_find,
)
