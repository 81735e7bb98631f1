"""Operators of one input without state of their own: map, flat_map, filter, process, async_map, watermarks."""

from __future__ import annotations

from planner.job import Explode, Select, Watermarks, Where
from spark_runner.lowering.functions import opens
from spark_runner.lowering.operators.lowering import NATIVE, Lowered, Situation, nothing_to_run, python_function


def _python(setting: Situation, hint: str) -> Lowered:
    function = python_function(setting, hint)
    kind = setting.operator.kind
    if setting.keyed and opens(function):  # open() is where keyed state is asked for
        return Lowered(engine="python", role=f"keyed_{kind}", grouped=True)
    return Lowered(engine="python", role=kind)


def lower_map(setting: Situation) -> Lowered:
    """A function, or named SQL expressions."""
    if isinstance(setting.operator.behaviour, Select):
        setting.needs_columns("SQL expressions")
        return NATIVE
    return _python(setting, "give it a function, or `select` with SQL expressions")


def lower_flat_map(setting: Situation) -> Lowered:
    """A function, or a SQL array."""
    if isinstance(setting.operator.behaviour, Explode):
        setting.needs_columns("a SQL expression")
        return NATIVE
    return _python(setting, "give it a function, or `explode` with a SQL array")


def lower_filter(setting: Situation) -> Lowered:
    """A function, or a SQL condition."""
    if isinstance(setting.operator.behaviour, Where):
        setting.needs_columns("a SQL condition")
        return NATIVE
    return _python(setting, "give it a function, or `where` with a SQL condition")


def lower_process(setting: Situation) -> Lowered:
    """A process function; on a keyed stream it has state and timers."""
    python_function(setting, "give it a function")
    if setting.keyed:
        return Lowered(engine="python", role="keyed_process", grouped=True)
    return Lowered(engine="python", role="process")


def lower_async_map(setting: Situation) -> Lowered:
    """Coroutines."""
    python_function(setting, "give it a coroutine function")
    return Lowered(engine="python", role="async_map")


def lower_watermarks(setting: Situation) -> Lowered:
    """Event times from a column or a function."""
    behaviour = setting.operator.behaviour
    if not isinstance(behaviour, Watermarks):
        raise nothing_to_run(setting, "give it a timestamp assigner, or `time` with a column")
    native = behaviour.assigner is None and not setting.pickled and setting.before != "python"
    return NATIVE if native else Lowered(engine="python", role="watermarks")
