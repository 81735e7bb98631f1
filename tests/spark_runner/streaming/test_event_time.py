"""How event time reaches operators: through exchanges, and past a producer without records."""

from __future__ import annotations

import pytest

from planner import (
    CoProcessFunction,
    Duration,
    ProcessFunction,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    WatermarkStrategy,
)
from tests.support.stream_engine import StreamEngine


@pytest.mark.parametrize(("idle", "closed"), [(None, []), (100, [("k", 3), ("k", 5)])])
def test_an_idle_producer_holds_nobody_back(idle: int | None, closed: list[tuple[str, int]]) -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda record: record[2])
    if idle is not None:
        strategy = strategy.with_idleness(Duration.of_millis(idle))
    env = StreamExecutionEnvironment()
    env.set_parallelism(1)
    busy = env.from_collection([("k", 1, 1), ("k", 2, 2), ("k", 5, 50), ("k", 6, 60)])
    silent = env.from_collection([])
    both = busy.assign_timestamps_and_watermarks(strategy).union(silent.assign_timestamps_and_watermarks(strategy))
    windows = both.key_by(lambda record: record[0]).window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    windows.reduce(lambda a, b: (a[0], a[1] + b[1], b[2])).map(lambda record: record[:2]).print()
    engine = StreamEngine(env.build("idle"))
    for number, now in ((0, 1000), (1, 1050), (2, 1090), (3, 1300)):
        engine.batch([f'{{"slice": {number}, "size": 1}}'], now)
    assert [value for _, value in engine.sinks[0]] == closed


class Marks(ProcessFunction):
    def process_element(self, value, ctx):
        yield value, ctx.timer_service().current_watermark()


class Pairs(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield value, ctx.timer_service().current_watermark()

    def process_element2(self, value, ctx):
        yield value, ctx.timer_service().current_watermark()


@pytest.mark.parametrize("function", [Marks(), Pairs()])
def test_a_process_function_without_a_key_sees_how_far_event_time_is(function: ProcessFunction) -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda record: record)
    env = StreamExecutionEnvironment()
    env.set_parallelism(1)
    numbers = env.from_collection([10, 20, 30]).assign_timestamps_and_watermarks(strategy).rebalance()
    if isinstance(function, Pairs):
        others = env.from_collection([10, 20, 30]).assign_timestamps_and_watermarks(strategy).rebalance()
        numbers.connect(others).process(function).set_parallelism(2).print()
    else:
        numbers.process(function).set_parallelism(2).print()
    engine = StreamEngine(env.build("marks"))
    for number in range(3):
        engine.batch([f'{{"slice": {number}, "size": 1}}'], 1000 + number)
    seen = {value: mark for _, (value, mark) in engine.sinks[0]}
    assert (seen[20], seen[30]) == (9, 19)
