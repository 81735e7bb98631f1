"""Who counts a native operator's records: a reader that counts anyway, a file's footer, or else a counter on the way.

A counter keeps the optimizer from moving filters past it, to a file's reader for instance, so it is the last resort.
"""

from __future__ import annotations

from planner.job import Reader
from planner.kinds import AGGREGATES
from spark_runner.program.program import Operation, Pass, SparkProgram

KEEPS_COUNT = frozenset({"map", "watermarks"})
_COUNTED_BY_METADATA = frozenset({"parquet", "orc"})  # counting them again reads footers only


def is_native_sum(one: Pass) -> bool:
    """Whether a pass is a native keyed aggregation."""
    return one.engine == "native" and any(o.operator.kind in AGGREGATES for o in one.operations)


def counted_by_metadata(one: Pass, operation: Operation) -> bool:
    """Whether counting a source again afterwards costs next to nothing."""
    behaviour = operation.operator.behaviour
    return isinstance(behaviour, Reader) and behaviour.format.lower() in _COUNTED_BY_METADATA and not one.shared


def counted_by_reader(program: SparkProgram, number: int, at: int) -> bool:
    """Whether exactly one reader takes these very records and counts them itself."""
    place: tuple[int, int | None] | None = (number, at)
    while place is not None:
        current, operation = program.passes[place[0]], place[1]
        children = [n for n, o in enumerate(current.operations) if o.parent == operation]
        outlets = [n for n, o in enumerate(current.outlets) if o.operation == operation]
        if len(children) + sum(current.outlets[n].readers for n in outlets) != 1:
            return False
        if children:
            place = (place[0], children[0]) if current.operations[children[0]].operator.kind in KEEPS_COUNT else None
            continue
        reader = _only_reader(program, place[0], outlets[0])
        if reader is None:
            return False
        if program.passes[reader].engine == "python" or is_native_sum(program.passes[reader]):
            return True
        place = (reader, None)
    return False


def _only_reader(program: SparkProgram, source: int, outlet: int) -> int | None:
    """The pass that reads an outlet, if it reads nothing else and every record once."""
    for number, one in enumerate(program.passes):
        if any((inlet.source, inlet.outlet) == (source, outlet) for inlet in one.inlets):
            exchange = one.inlets[0].exchange
            repeated = exchange is not None and exchange.strategy == "BROADCAST"
            return None if len(one.inlets) != 1 or repeated else number
    return None
