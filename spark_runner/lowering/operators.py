"""What runs an operator of a batch in columns: Spark itself, or a role in a Python pass; one function per kind.

`LOWERINGS` is the table; a test checks that no kind of the job format is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from planner.errors import UnsupportedOnSpark
from planner.job import (
    Aggregate,
    Collection,
    Explode,
    Join,
    Operator,
    OperatorKind,
    PythonFunction,
    Reader,
    Select,
    Sequence,
    Watermarks,
    Where,
    Window,
    Writer,
)
from spark_runner.lowering.functions import opens
from spark_runner.program.program import Engine

__all__ = ["LOWERINGS", "PRINTING_FORMATS", "Lowered", "Lowering", "Situation"]

PRINTING_FORMATS = frozenset({"console"})  # writers whose records the driver prints


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """An operator where it stands: what its inputs look like and who is next to it."""

    operator: Operator
    keyed: bool
    pickled: bool  # an input has no declared columns
    before: Engine | None  # the engine of the operator it is chained to
    python_follows: bool  # a Python function is chained downstream of it

    def refuse(self, problem: str, hint: str) -> UnsupportedOnSpark:
        """The error for an operator that cannot run."""
        return UnsupportedOnSpark(
            f"operator {self.operator.key!r} {problem}", location=self.operator.location, hint=hint
        )

    def needs_columns(self, what: str) -> None:
        """Refuse SQL over records whose columns nobody declared."""
        if self.pickled:
            raise self.refuse(
                f"uses {what}, but the records upstream of it have no declared columns",
                "declare them: output_type=... on the operator upstream (Python), `output:` or `schema:` (YAML)",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """How an operator runs: natively, or as a role in a Python pass; `grouped` needs its records key by key."""

    engine: Engine
    role: str = ""
    grouped: bool = False


Lowering = Callable[[Situation], Lowered]
NATIVE = Lowered(engine="native")


def nothing_to_run(setting: Situation, hint: str) -> UnsupportedOnSpark:
    """The error for an operator that is there for planning only."""
    return setting.refuse(f"({setting.operator.kind}) does not say what it does when it runs", hint)


def python_function(setting: Situation, hint: str) -> PythonFunction:
    """The operator's function. Raises where it has none."""
    behaviour = setting.operator.behaviour
    if not isinstance(behaviour, PythonFunction):
        raise nothing_to_run(setting, hint)
    return behaviour


def lower_source(setting: Situation) -> Lowered:
    """Native, except for a collection that Python works on next: it is then part of that pass."""
    operator, behaviour = setting.operator, setting.operator.behaviour
    if isinstance(behaviour, Collection):
        python = operator.output is None or setting.python_follows
        return Lowered(engine="python", role="collection") if python else NATIVE
    if isinstance(behaviour, Sequence | Reader):
        return NATIVE
    if behaviour is None:
        raise nothing_to_run(setting, "give it a collection with a schema, or the format of a Spark reader")
    raise setting.refuse(
        "is a source written in Python, which Spark cannot read",
        "use from_collection, from_sequence, or a Spark reader (format and path)",
    )


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


LOWERINGS: Mapping[OperatorKind, Lowering] = {
    "source": lower_source,
    "map": lower_map,
    "flat_map": lower_flat_map,
    "filter": lower_filter,
    "process": lower_process,
    "async_map": lower_async_map,
    "watermarks": lower_watermarks,
    "sum": lower_aggregate,
    "min": lower_aggregate,
    "max": lower_aggregate,
    "reduce": lower_reduce,
    "window_reduce": lower_window,
    "co_map": lower_co,
    "co_flat_map": lower_co,
    "co_process": lower_co,
    "multi_input": lower_multi_input,
    "sink": lower_sink,
    "print": lower_print,
}
