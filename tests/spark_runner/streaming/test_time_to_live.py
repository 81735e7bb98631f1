"""State with a time to live: by the batch's time, list and map elements each on their own."""

from __future__ import annotations

from typing import Any

import pytest

from planner import (
    KeyedProcessFunction,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    StreamExecutionEnvironment,
    Time,
    ValueStateDescriptor,
)
from tests.support.stream_engine import StreamEngine


class Expiring(KeyedProcessFunction):
    """Gives what is left of every state, then adds to it."""

    def __init__(self, on_read: bool) -> None:
        self.on_read = on_read

    def open(self, runtime_context: Any) -> None:
        kind = StateTtlConfig.UpdateType.OnReadAndWrite if self.on_read else StateTtlConfig.UpdateType.OnCreateAndWrite
        config = StateTtlConfig.new_builder(Time.milliseconds(100)).set_update_type(kind).build()
        value, items = ValueStateDescriptor("value"), ListStateDescriptor("list")
        entries, total = MapStateDescriptor("map"), ReducingStateDescriptor("sum", lambda a, b: a + b)
        for descriptor in (value, items, entries, total):
            descriptor.enable_time_to_live(config)
        self.value, self.list = runtime_context.get_state(value), runtime_context.get_list_state(items)
        self.map, self.sum = runtime_context.get_map_state(entries), runtime_context.get_reducing_state(total)

    def process_element(self, value: Any, ctx: Any) -> Any:
        yield (self.value.value(), list(self.list.get()), sorted(self.map.items()), self.sum.get())
        if self.value.value() is None:
            self.value.update(value[1])
        self.list.add(value[1])
        self.map.put(value[1], "x")
        if self.sum.get() is None:
            self.sum.add(value[1])


@pytest.mark.parametrize(
    ("on_read", "last"),
    [(False, (None, [2, 3], [(2, "x"), (3, "x")], None)), (True, (1, [1, 2, 3], [(n, "x") for n in (1, 2, 3)], 1))],
)
def test_state_goes_when_its_time_is_over(on_read: bool, last: Any) -> None:
    env = StreamExecutionEnvironment()
    env.set_parallelism(1)
    records = env.from_collection([("k", n) for n in (1, 2, 3, 4, 5)])
    records.key_by(lambda record: record[0]).process(Expiring(on_read)).print()
    engine = StreamEngine(env.build("expiring"))
    for number, now in enumerate((1000, 1050, 1099, 1120, 1500)):
        engine.batch([f'{{"slice": {number}, "size": 1}}'], now)
    given = [value for _, value in engine.sinks[0]]
    assert given[0] == (None, [], [], None)
    assert given[2] == (1, [1, 2], [(1, "x"), (2, "x")], 1)
    assert given[3] == last
    assert given[4] == (None, [], [], None)
