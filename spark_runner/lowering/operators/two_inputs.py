"""Operators of two inputs: co_map, co_flat_map, co_process and joins. Operators of more inputs are refused."""

from __future__ import annotations

from planner.job import Join
from spark_runner.lowering.operators.lowering import NATIVE, Lowered, Situation, python_function


def lower_co(setting: Situation) -> Lowered:
    """A function with a method for each input, or an equi-join."""
    if isinstance(setting.operator.behaviour, Join):
        setting.needs_columns("a join")
        return NATIVE
    python_function(setting, "give it a function with a method for each input")
    if setting.keyed:
        return Lowered(engine="python", role="keyed_co_process", grouped=True)
    return Lowered(engine="python", role=setting.operator.kind)


def lower_multi_input(setting: Situation) -> Lowered:
    """Refused: PyFlink has no function for it, so nothing says what it would compute."""
    raise setting.refuse(
        "is a multiple-input operator, for which there is no Python function to run",
        "union the inputs, or connect them two by two with co_process",
    )
