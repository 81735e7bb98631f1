"""From a plan to a Spark program: which operators share a pass, what crosses between them, and what cannot run."""

from __future__ import annotations

from planner.pipeline import Plan
from spark_runner.program import Mode, SparkProgram


def lower(plan: Plan, *, mode: Mode | None = None) -> SparkProgram:
    """The Spark program of a plan; `mode` None follows the job's sources and runtime mode.

    Raises UnsupportedOnSpark, naming the operator and what to do, for anything Spark cannot run the way Flink would.
    """
    raise NotImplementedError
