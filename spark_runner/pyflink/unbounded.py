"""PyFlink jobs whose input does not end: they do not run yet."""

from __future__ import annotations

from typing import NoReturn

from planner.errors import UnsupportedOnSpark
from planner.pipeline import Plan
from planner.settings.boundedness import data_ends

__all__ = ["refuse_python_stream"]


def refuse_python_stream(plan: Plan) -> NoReturn:
    """Refuse a stream, and name the source that makes it one."""
    sources = [operator for operator in plan.job.operators if operator.kind == "source"]
    first = next((operator for operator in sources if not data_ends(operator)), sources[0])
    raise UnsupportedOnSpark(
        f"operator {first.key!r} ({first.name}): PyFlink scripts run on Spark where their input ends, not as streams",
        location=first.location,
        hint="read something that ends (from_collection, files), or write the job with `from planner import ...`",
    )
