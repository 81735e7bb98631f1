"""Sinks: every Spark writer, print, and Python sink functions."""

from __future__ import annotations

from planner.job import PythonFunction, Writer
from spark_runner.lowering.operators.lowering import NATIVE, Lowered, Situation, nothing_to_run

PRINTING_FORMATS = frozenset({"console"})


def lower_sink(setting: Situation) -> Lowered:
    """A writer is Spark's own; a function runs in the pass upstream of it."""
    behaviour = setting.operator.behaviour
    if isinstance(behaviour, PythonFunction):
        return Lowered(engine="python", role="sink")
    if not isinstance(behaviour, Writer):
        raise nothing_to_run(setting, "give it the `format` of a Spark writer, or a function")
    if behaviour.format.lower() not in PRINTING_FORMATS | {"noop"}:
        setting.needs_columns(f"the {behaviour.format} writer")
    return NATIVE


def lower_print(setting: Situation) -> Lowered:
    """The driver prints what the subtasks send it."""
    return NATIVE
