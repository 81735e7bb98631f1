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

__all__ = ["LOWERINGS", "PRINTING_FORMATS", "Lowered", "Lowering", "Situation", "no_multi_input"]

PRINTING_FORMATS = frozenset({"console"})  # writers whose records the driver prints


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """An operator where it stands: what its inputs look like and who is next to it."""

    operator: Operator
    keyed: bool
    pickled: bool  # an input has no declared columns
    before: Engine | None  # the engine of the operator it is chained to
    python_follows: bool  # a Python function is chained downstream of it

    def refusal(self, problem: str, hint: str) -> UnsupportedOnSpark:
        """The error for an operator that cannot run."""
        return UnsupportedOnSpark(
            f"operator {self.operator.key!r} {problem}", location=self.operator.location, hint=hint
        )

    def needs_columns(self, what: str) -> None:
        """Refuse SQL over records whose columns nobody declared."""
        if self.pickled:
            raise self.refusal(
                f"uses {what}, but the records upstream of it have no declared columns",
                "declare them: output_type=... on the operator upstream (Python), `output:` or `schema:` (YAML)",
            )

    def needs_function(self, hint: str) -> PythonFunction:
        """The operator's Python function; refuse an operator without one."""
        if not isinstance(self.operator.behaviour, PythonFunction):
            raise self.says_nothing(hint)
        return self.operator.behaviour

    def says_nothing(self, hint: str) -> UnsupportedOnSpark:
        """The error for an operator that is there for planning only."""
        return self.refusal(f"({self.operator.kind}) does not say what it does when it runs", hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """How an operator runs: natively, or as a role in a Python pass; `grouped` needs its records key by key."""

    engine: Engine
    role: str = ""
    grouped: bool = False


Lowering = Callable[[Situation], Lowered]
NATIVE = Lowered(engine="native")


def lower_source(situation: Situation) -> Lowered:
    """Native, except for a collection that Python works on next: it is then part of that pass."""
    operator, behaviour = situation.operator, situation.operator.behaviour
    if isinstance(behaviour, Collection):
        python = operator.output is None or situation.python_follows
        return Lowered(engine="python", role="collection") if python else NATIVE
    if isinstance(behaviour, Sequence | Reader):
        return NATIVE
    if behaviour is None:
        raise situation.says_nothing("give it a collection with a schema, or the format of a Spark reader")
    raise situation.refusal(
        "is a source written in Python, which Spark cannot read",
        "use from_collection, from_sequence, or a Spark reader (format and path)",
    )


def _python(situation: Situation, hint: str) -> Lowered:
    function = situation.needs_function(hint)
    kind = situation.operator.kind
    if situation.keyed and opens(function):  # open() is where keyed state is asked for
        return Lowered(engine="python", role=f"keyed_{kind}", grouped=True)
    return Lowered(engine="python", role=kind)


def lower_map(situation: Situation) -> Lowered:
    """A function, or named SQL expressions."""
    if isinstance(situation.operator.behaviour, Select):
        situation.needs_columns("SQL expressions")
        return NATIVE
    return _python(situation, "give it a function, or `select` with SQL expressions")


def lower_flat_map(situation: Situation) -> Lowered:
    """A function, or a SQL array."""
    if isinstance(situation.operator.behaviour, Explode):
        situation.needs_columns("a SQL expression")
        return NATIVE
    return _python(situation, "give it a function, or `explode` with a SQL array")


def lower_filter(situation: Situation) -> Lowered:
    """A function, or a SQL condition."""
    if isinstance(situation.operator.behaviour, Where):
        situation.needs_columns("a SQL condition")
        return NATIVE
    return _python(situation, "give it a function, or `where` with a SQL condition")


def lower_process(situation: Situation) -> Lowered:
    """A process function; on a keyed stream it has state and timers."""
    situation.needs_function("give it a function")
    if situation.keyed:
        return Lowered(engine="python", role="keyed_process", grouped=True)
    return Lowered(engine="python", role="process")


def lower_async_map(situation: Situation) -> Lowered:
    """Coroutines."""
    situation.needs_function("give it a coroutine function")
    return Lowered(engine="python", role="async_map")


def lower_watermarks(situation: Situation) -> Lowered:
    """Event times from a column or a function."""
    behaviour = situation.operator.behaviour
    if not isinstance(behaviour, Watermarks):
        raise situation.says_nothing("give it a timestamp assigner, or `time` with a column")
    native = behaviour.assigner is None and not situation.pickled and situation.before != "python"
    return NATIVE if native else Lowered(engine="python", role="watermarks")


def lower_aggregate(situation: Situation) -> Lowered:
    """sum, min and max: natively with partial aggregation wherever the records have columns."""
    if not isinstance(situation.operator.behaviour, Aggregate):
        raise situation.says_nothing("say which `field` it aggregates")
    return Lowered(engine="python", role="reduce") if situation.pickled else NATIVE


def lower_reduce(situation: Situation) -> Lowered:
    """A reduce function."""
    situation.needs_function("give it a function of two records")
    return Lowered(engine="python", role="reduce")


def lower_window(situation: Situation) -> Lowered:
    """A window with a function."""
    behaviour = situation.operator.behaviour
    if not isinstance(behaviour, Window) or behaviour.function is None:
        raise situation.says_nothing("give it `window: {tumbling: 5s}` and a function")
    if behaviour.time is not None:
        situation.needs_columns("a time column")
    return Lowered(engine="python", role="window", grouped=True)


def lower_co(situation: Situation) -> Lowered:
    """A function with a method for each input, or an equi-join."""
    if isinstance(situation.operator.behaviour, Join):
        situation.needs_columns("a join")
        return NATIVE
    situation.needs_function("give it a function with a method for each input")
    if situation.keyed:
        return Lowered(engine="python", role="keyed_co_process", grouped=True)
    return Lowered(engine="python", role=situation.operator.kind)


def lower_multi_input(situation: Situation) -> Lowered:
    """Refused: PyFlink has no function for it, so nothing says what it would compute."""
    raise no_multi_input(situation.operator)


def no_multi_input(operator: Operator) -> UnsupportedOnSpark:
    """The error for an operator of more than two inputs."""
    return UnsupportedOnSpark(
        f"operator {operator.key!r} is a multiple-input operator, for which there is no Python function to run",
        location=operator.location,
        hint="union the inputs, or connect them two by two with co_process",
    )


def lower_sink(situation: Situation) -> Lowered:
    """A writer is Spark's own; a function runs in the pass upstream of it."""
    behaviour = situation.operator.behaviour
    if isinstance(behaviour, PythonFunction):
        return Lowered(engine="python", role="sink")
    if not isinstance(behaviour, Writer):
        raise situation.says_nothing("give it the `format` of a Spark writer, or a function")
    if behaviour.format.lower() not in PRINTING_FORMATS | {"noop"}:
        situation.needs_columns(f"the {behaviour.format} writer")
    return NATIVE


def lower_print(situation: Situation) -> Lowered:
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
