"""Which sources end, and what follows for a run."""

from __future__ import annotations

from planner.errors import UnsupportedOnSpark
from planner.pipeline import Plan
from planner.settings.boundedness import data_ends
from spark_runner.program.program import Mode


def refuse_streaming(plan: Plan, mode: Mode | None) -> None:
    """Refuse what only a stream can do."""
    for operator in plan.job.operators:
        if operator.kind == "source" and not data_ends(operator):
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} is an unbounded source, and running as a stream is not there yet",
                location=operator.location,
                hint="read a bounded source: a collection, a sequence, or files",
            )
    if mode == "streaming":
        raise UnsupportedOnSpark(
            "--mode streaming is not there yet", hint="leave --mode out: bounded jobs run as a batch"
        )
