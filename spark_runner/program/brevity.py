"""Programs with so few records that starting Spark is all their work for the JVM: samples, tutorials, first tries."""

from __future__ import annotations

import re

from planner.job import Collection, Explode, Join, Select
from spark_runner.program.program import Operation, SparkProgram

__all__ = ["is_brief"]

_FEW = 10_000  # records
# what makes much out of little in SQL
_GROWS = re.compile(r"\b(sequence|array_repeat|repeat|space|[lr]pad|range)\s*\(", re.IGNORECASE)


def is_brief(program: SparkProgram) -> bool:
    """Whether a bounded program gets all its records from the job's file, and Spark's own operators keep them few."""
    operations = [operation for one in program.passes for operation in one.operations]
    sources = [one.operator.behaviour for one in operations if one.operator.kind == "source"]
    records = sum(len(one.records) if isinstance(one, Collection) else _FEW + 1 for one in sources)
    return bool(sources) and records <= _FEW and not any(map(_grows, operations))


def _grows(operation: Operation) -> bool:
    behaviour = operation.operator.behaviour
    if isinstance(behaviour, Join):
        return True
    texts = [sql for _, sql in behaviour.columns] if isinstance(behaviour, Select) else []
    texts += [behaviour.expression] if isinstance(behaviour, Explode) else []
    return any(map(_GROWS.search, texts))
