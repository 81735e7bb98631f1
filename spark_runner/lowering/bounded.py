"""Refuses a batch whose sources never end."""

from __future__ import annotations

from planner.errors import UnsupportedOnSpark
from planner.pipeline import Plan
from planner.settings.boundedness import data_ends

__all__ = ["refuse_unbounded"]


def refuse_unbounded(plan: Plan) -> None:
    """Refuse input that never ends: a batch would not end either."""
    for operator in plan.job.operators:
        if operator.kind == "source" and not data_ends(operator):
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} is an unbounded source, which a batch never reaches the end of",
                location=operator.location,
                hint="leave --mode batch out: it then runs as a stream",
            )
