"""What the lowering of one kind of operator decides, and what it may look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.errors import UnsupportedOnSpark
from planner.job import Operator, PythonFunction
from spark_runner.program.program import Engine


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
