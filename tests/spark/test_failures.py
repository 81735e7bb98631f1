"""Failing user functions: the operator, the record, the user's own lines, and nothing of Spark."""

from __future__ import annotations

from typing import Any

import pytest

from planner import KeyedProcessFunction, ProcessFunction, Types
from planner.errors import ExecutionError
from tests.spark.jobs import PAIR, environment


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
    assert "Traceback" not in text and "org.apache" not in text and "spark_runner" not in text
    if kind not in ("unfit", "arity"):
        assert "ZeroDivisionError" in text and "test_failures.py" in text and "return 10 // (value[1] - 3)" in text
    assert caught.value.location is not None


def test_a_failing_timer_names_the_key(run: Any) -> None:
    env = environment(1)
    env.from_collection(RECORDS, type_info=PAIR).key_by(lambda v: v[0]).process(FailingTimer()).print()
    with pytest.raises(ExecutionError, match=r"last record of key 'a'.*KeyError"):
        run(env.build("timer"))


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
