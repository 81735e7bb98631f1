"""Sources: collections, sequences and every Spark reader."""

from __future__ import annotations

from planner.job import Collection, Reader, Sequence
from spark_runner.lowering.operators.lowering import NATIVE, Lowered, Situation, nothing_to_run


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
