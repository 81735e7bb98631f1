"""A producer without records: it holds back event time, unless the strategy says when it counts as idle."""

from __future__ import annotations

import pytest

from planner import (
    Duration,
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
