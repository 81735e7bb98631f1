"""Which sources end, and what follows for a run."""

from __future__ import annotations

from planner.errors import UnsupportedOnSpark
from planner.job import Collection, Operator, Reader, Sequence
from planner.pipeline import Plan
from planner.settings.job_format import UNBOUNDED_FORMATS
from spark_runner.program.program import Mode


def is_unbounded(operator: Operator) -> bool:
    """Whether a source never ends."""
    behaviour = operator.behaviour
    if isinstance(behaviour, Collection | Sequence):
        return False
    if isinstance(behaviour, Reader) and (operator.legacy or operator.bounded):
        return not operator.bounded and behaviour.format.lower() in UNBOUNDED_FORMATS
    return not operator.bounded


def refuse_streaming(plan: Plan, mode: Mode | None) -> None:
    """Refuse what only a stream can do."""
    for operator in plan.job.operators:
        if operator.kind == "source" and is_unbounded(operator):
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} is an unbounded source, and running as a stream is not there yet",
                location=operator.location,
                hint="read a bounded source: a collection, a sequence, or files",
            )
    if mode == "streaming":
        raise UnsupportedOnSpark(
            "--mode streaming is not there yet", hint="leave --mode out: bounded jobs run as a batch"
        )
