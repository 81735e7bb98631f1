"""A Python function as Spark computes it by itself."""

from __future__ import annotations

from dataclasses import dataclass

from planner.job import Explode, Select, Where
from spark_runner.program.sql_text import quoted

__all__ = ["GAVE_UP", "NativeFunction", "as_sql", "gave_up"]

GAVE_UP = "plan: this record is for Python"  # in Spark's error where a record does not meet a function's conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeFunction:
    """Steps one after another. All columns stay until a `Select`; what an `Explode` makes is one column more."""

    steps: tuple[Where | Select | Explode, ...]
    guarded: bool  # a record may turn up that only Python can compute: Spark then fails with GAVE_UP


def as_sql(step: Where | Select | Explode) -> str:
    """A step to read."""
    if isinstance(step, Where):
        return f"WHERE {step.condition}"
    if isinstance(step, Explode):
        return f"EXPLODE {step.expression} AS {quoted(step.column)}"
    return "SELECT " + ", ".join(f"{sql} AS {quoted(name)}" for name, sql in step.columns)


def gave_up(text: str) -> str | None:
    """The operator whose record was not for Spark, by the text of an error; None for any other error."""
    _, found, rest = text.partition(f"{GAVE_UP} (")
    return rest.partition(")")[0] if found else None
