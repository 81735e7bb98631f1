"""PyFlink jobs, which run by rules of their own: what must never reach the lowering of other jobs."""

from __future__ import annotations

from planner.errors import UnsupportedOnSpark
from planner.pipeline import Plan

__all__ = ["refuse_python_layer"]


def refuse_python_layer(plan: Plan) -> None:
    """Refuse a PyFlink job: run by the rules of other jobs, a merged operator would do only a part of its work."""
    if plan.merging is None:
        return
    operators = [one for one in plan.job.operators if one.merged or one.helper] or list(plan.job.operators)
    first = operators[0]
    raise UnsupportedOnSpark(
        f"operator {first.key!r} ({first.name}) is PyFlink's own, and PyFlink scripts do not run on Spark yet",
        location=first.location,
        hint="write the job with `from planner import ...` to run it; `plan explain` and `plan lint` take it as it is",
    )
