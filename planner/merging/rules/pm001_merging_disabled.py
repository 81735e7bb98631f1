"""Python operators are not merged in this job."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair


def _find(pair: Pair) -> MergeObstacle | None:
    if pair.merging:
        return None
    return RULE.obstacle("python.operator-chaining.enabled is false", "set python.operator-chaining.enabled to true")


def _holds(pair: Pair) -> str:
    return "python.operator-chaining.enabled is true"


RULE = MergeRule(
    code="PM001",
    slug="merging-disabled",
    summary="Python operators are not merged in this job",
    checks="The option `python.operator-chaining.enabled`.",
    why=(
        "With the option off PyFlink merges nothing: every Python operator has a Python process of its own, "
        "and every record is written out and read back between two of them."
    ),
    fix=(
        "Remove the option, or set it to true. `env.disable_operator_chaining()` and `pipeline.operator- "
        "chaining.enabled` do not touch merging."
    ),
    example="""\
config.set_boolean("python.operator-chaining.enabled", False)
""",
    holds=_holds,
    find=_find,
)
