"""Failing user functions: the operator, the record, the user's own lines, and nothing of Spark."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import pytest

from planner import (
    KeyedProcessFunction,
    MapFunction,
    ProcessFunction,
    Time,
    TimestampAssigner,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
)
from planner.errors import ExecutionError, JobDefinitionError
from tests.support.spark_jobs import PAIR, environment


def deeper(value: Any) -> int:
    return 10 // (value[1] - 3)


class Failing(ProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        yield deeper(value)


class FailingTimer(KeyedProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        ctx.timer_service().register_event_time_timer(1)
        return ()

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        raise KeyError("in the timer")


async def failing(value: Any) -> int:
    return deeper(value)


RECORDS = [("a", 1), ("b", 2), ("c", 3), ("d", 4)]


@pytest.mark.parametrize("kind", ["map", "flat_map", "filter", "process", "async_map", "reduce", "unfit", "arity"])
def test_a_failing_function_shows_operator_record_and_lines(run: Any, kind: str) -> None:
    env = environment(1)
    source = env.from_collection(RECORDS, type_info=PAIR).map(lambda v: v, output_type=PAIR)
    record = "('c', 3)"
    stream: Any
    match kind:
        case "map":
            stream = source.map(deeper, Types.LONG())
        case "flat_map":
            stream = source.flat_map(lambda v: [deeper(v)], Types.LONG())
        case "filter":
            stream = source.filter(lambda v: deeper(v) > 0)
        case "process":
            stream = source.process(Failing(), Types.LONG())
        case "async_map":
            stream = source.async_map(failing, Types.LONG())
        case "reduce":
            stream = source.key_by(lambda v: 1).reduce(lambda a, b: (a[0], deeper(b)))
        case "unfit":
            stream, record = source.map(lambda v: "x" if v[1] == 3 else v[1], Types.LONG()), "'x'"
        case _:
            stream, record = source.map(lambda v: (1,) if v[1] == 3 else v, PAIR), "(1,)"
    stream.uid("culprit").print()
    with pytest.raises(ExecutionError) as caught:
        run(env.build("failing"))
    text = str(caught.value)
    assert caught.value.operator == "culprit"
    assert f"record: {record}" in text
    assert "Traceback" not in text and "org.apache" not in text
    assert "spark_runner" not in text.replace(__file__, "")
    if kind not in ("unfit", "arity"):
        assert "ZeroDivisionError" in text and "test_failures.py" in text and "return 10 // (value[1] - 3)" in text
    assert caught.value.location is not None


def test_a_failing_timer_names_the_key(run: Any) -> None:
    env = environment(1)
    env.from_collection(RECORDS, type_info=PAIR).key_by(lambda v: v[0]).process(FailingTimer()).print()
    with pytest.raises(ExecutionError, match=r"last record of key 'a'.*KeyError"):
        run(env.build("timer"))


class Ending(MapFunction):
    """Fails where `where` says."""

    def __init__(self, where: str) -> None:
        self.where = where

    def open(self, runtime_context: Any) -> None:
        if self.where == "open":
            raise RuntimeError("no database")

    def map(self, value: Any) -> Any:
        if self.where == "exit":
            sys.exit(7)
        if self.where == "deep":
            return self.map(value)
        return value

    def close(self) -> None:
        if self.where in ("close", "exit"):
            raise RuntimeError("cannot close")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("open", r"open\(\): RuntimeError: no database\n  File"),
        ("close", r"close\(\): RuntimeError: cannot close\n  File"),
        ("exit", r"SystemExit: 7\n  record: \('a', 1\)\n  File"),
        ("deep", r"RecursionError: .*\n  record(?s:.*)\.\.\. \d+ more calls"),
    ],
)
@pytest.mark.parametrize("keyed", [False, True])
def test_functions_that_end_in_other_ways(run: Any, where: str, said: str, keyed: bool) -> None:
    env = environment(1)
    pairs: Any = env.from_collection(RECORDS, type_info=PAIR)
    pairs = pairs.key_by(lambda v: v[0]) if keyed else pairs
    pairs.map(Ending(where), PAIR).uid("culprit").print()
    with pytest.raises(ExecutionError, match=said) as caught:
        run(env.build(where))
    assert caught.value.operator == "culprit"
    assert len(str(caught.value).splitlines()) < 30


@pytest.mark.parametrize("source", ["python", "native"])
@pytest.mark.parametrize("what", ["key_by", "partition_custom", "key of partition_custom", "outside", "key type"])
def test_keys_and_partitioners_are_their_readers(run: Any, what: str, source: str) -> None:
    env = environment(2)
    numbers = env.from_sequence(1, 4) if source == "native" else env.from_collection([1, 2, 3, 4])
    said = rf"{what}: ZeroDivisionError.*\n  record: 3\n(?s:.*)1 // \(number - 3\)"
    if what == "key_by":
        keyed: Any = numbers.key_by(_third)
    elif what == "key type":
        keyed, said = numbers.key_by(lambda n: f"k{n}", Types.LONG()), "key_by gave a key that does not fit"
    elif what == "outside":
        keyed, said = numbers.partition_custom(lambda key, n: 7, lambda n: n), "partition_custom chose subtask 7 of 2"
    elif what == "partition_custom":
        keyed = numbers.partition_custom(lambda key, n: 0 * _third(key), lambda n: n)
    else:
        keyed = numbers.partition_custom(lambda key, n: 0, _third)
    keyed.map(lambda n: n, Types.LONG()).uid("culprit").print()
    with pytest.raises(ExecutionError, match=said) as caught:
        run(env.build("keys"))
    assert caught.value.operator == "culprit"
    assert caught.value.location is not None


def _third(number: int) -> int:
    return 1 // (number - 3)


def test_a_function_that_cannot_travel_is_named(run: Any) -> None:
    env = environment(1)
    lock = threading.Lock()
    numbers = env.from_sequence(1, 2).map(lambda n: n, Types.LONG())
    with pytest.raises(JobDefinitionError, match=r"map: its function cannot be sent to executors.*lock"):
        numbers.map(lambda n: int(lock.locked()), Types.LONG())


def test_a_worker_that_dies_is_told(run: Any) -> None:
    env = environment(1)
    env.from_sequence(1, 2).map(lambda n: os._exit(7), Types.LONG()).print()
    with pytest.raises(ExecutionError, match="a Python worker ended in the middle of its records"):
        run(env.build("dies"))


class Timeless(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> Any:
        return None


def test_an_assigner_that_gives_no_time_is_named(run: Any) -> None:
    env = environment(1)
    times = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Timeless())
    stamped = env.from_collection(RECORDS, PAIR).assign_timestamps_and_watermarks(times).uid("culprit")
    stamped.key_by(lambda v: v[0]).window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(lambda a, b: a).print()
    with pytest.raises(ExecutionError, match="None") as caught:
        run(env.build("timeless"))
    assert caught.value.operator == "culprit"


def test_a_fraction_is_no_whole_number(run: Any) -> None:
    env = environment(1)
    env.from_collection([1], type_info=Types.LONG()).map(lambda n: n + 0.5, Types.LONG()).print()
    with pytest.raises(ExecutionError, match=r"a float is not a int64"):
        run(env.build("fraction"))


def test_custom_partitions_outside_the_subtasks_are_refused(run: Any) -> None:
    env = environment(2)
    stream = env.from_collection([1, 2], type_info=Types.LONG()).partition_custom(lambda key, n: key, lambda n: n)
    stream.map(lambda n: n, Types.LONG()).print()
    with pytest.raises(ExecutionError, match="chose subtask 2 of 2"):
        run(env.build("outside"))
