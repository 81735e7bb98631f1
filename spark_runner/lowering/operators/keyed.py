"""Keyed aggregations and windows."""

from __future__ import annotations

from planner.job import Aggregate, Window
from spark_runner.lowering.operators.lowering import NATIVE, Lowered, Situation, nothing_to_run, python_function


def lower_aggregate(setting: Situation) -> Lowered:
    """sum, min and max: natively with partial aggregation wherever the records have columns."""
    if not isinstance(setting.operator.behaviour, Aggregate):
        raise nothing_to_run(setting, "say which `field` it aggregates")
    return Lowered(engine="python", role="reduce") if setting.pickled else NATIVE


def lower_reduce(setting: Situation) -> Lowered:
    """A reduce function."""
    python_function(setting, "give it a function of two records")
    return Lowered(engine="python", role="reduce")


def lower_window(setting: Situation) -> Lowered:
    """A window with a function."""
    behaviour = setting.operator.behaviour
    if not isinstance(behaviour, Window) or behaviour.function is None:
        raise nothing_to_run(setting, "give it `window: {tumbling: 5s}` and a function")
    if behaviour.time is not None:
        setting.needs_columns("a time column")
    return Lowered(engine="python", role="window", grouped=True)
