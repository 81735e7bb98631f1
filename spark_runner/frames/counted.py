"""Which count of a run comes from where: decided while the frames are built."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame

from planner.job import Collection, Reader, Sequence
from spark_runner.frames.workshop import Workshop
from spark_runner.program.counting import KEEPS_COUNT, counted_by_metadata, counted_by_reader
from spark_runner.program.counts import Arrived, Count, Given, GroupMembers, Taken
from spark_runner.program.program import Inlet, Operation, Pass, SparkProgram

__all__ = ["count_arrivals", "count_native", "measure_by_aggregation", "measure_by_python"]


def count_arrivals(shop: Workshop, number: int, one: Pass) -> None:
    """What arrives at a pass is what those upstream gave; a broadcast record arrives everywhere."""
    terms: dict[int, list[tuple[Count, int]]] = {}
    for inlet in one.inlets:
        times = inlet.exchange.consumers if inlet.exchange and inlet.exchange.strategy == "BROADCAST" else 1
        terms.setdefault(inlet.position, []).append((_given_to(shop.program, inlet), times))
    for position, found in terms.items():
        shop.tally.add_up(Arrived(number, position), found)


def count_native(shop: Workshop, number: int, at: int, frame: DataFrame) -> DataFrame:
    """The frame of a native operation, observed where nothing else can count it."""
    one = shop.program.passes[number]
    operation, count = one.operations[at], Given(number, at)
    behaviour = operation.operator.behaviour
    if isinstance(behaviour, Collection):
        shop.tally.know(count, len(behaviour.records))
    elif isinstance(behaviour, Sequence):
        shop.tally.know(count, max(0, behaviour.end - behaviour.start + 1))
    elif shop.tally.is_observed(count):
        return frame
    elif operation.operator.kind in KEEPS_COUNT:
        shop.tally.same(count, _taken_by(number, operation))
    elif not counted_by_reader(shop.program, number, at):
        if isinstance(behaviour, Reader) and counted_by_metadata(one, operation):
            shop.tally.ask_later(count, _by_footers(shop, behaviour, frame))
        else:
            return shop.tally.observe(count, frame)
    return frame


def measure_by_aggregation(shop: Workshop, number: int, one: Pass) -> None:
    """What the only input of an aggregation gave is what went into the groups."""
    if len(one.inlets) == 1:
        shop.tally.measure(_given_to(shop.program, one.inlets[0]), GroupMembers(number))


def measure_by_python(shop: Workshop, number: int, one: Pass) -> None:
    """What the only input of a Python pass gave is what its subtasks report."""
    if len(one.inlets) == 1:
        shop.tally.measure(Arrived(number), Taken(number))


def _given_to(program: SparkProgram, inlet: Inlet) -> Count:
    outlet = program.passes[inlet.source].outlets[inlet.outlet]
    if outlet.operation is None:
        return Arrived(inlet.source)
    return Given(inlet.source, outlet.operation, outlet.tag)


def _taken_by(number: int, operation: Operation) -> Count:
    return Arrived(number) if operation.parent is None else Given(number, operation.parent)


def _by_footers(shop: Workshop, reader: Reader, frame: DataFrame) -> Callable[[], int]:
    """Counts a columnar source by its footers: on this machine without Spark, elsewhere with it."""

    def count() -> int:
        known = shop.parquet.rows(reader, shop.path(reader.path or ""))
        return frame.count() if known is None else known

    return count
