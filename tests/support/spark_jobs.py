"""Jobs that between them have every operator with Python functions, over any data of (word, number)."""

from __future__ import annotations

from typing import Any

from planner import (
    AggregateFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    EventTimeSessionWindows,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ListStateDescriptor,
    OutputTag,
    ProcessFunction,
    ProcessWindowFunction,
    SlidingEventTimeWindows,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from planner.job import JobDefinition

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
NULLS = OutputTag("nulls", PAIR)

DATA: dict[str, list[tuple[str | None, int | None]]] = {
    "empty": [],
    "one": [("only", 1)],
    "mixed": [
        ("a", 1), ("b", 2), ("a", 3), ("ü", 4), ("日本", 5), ("a", None), ("", 7), ("b", 12), ("a", 19), ("😀", 6),
        ("a", 1), ("a", 30), ("b", -3), ("x y", 8), ("a", 21),
    ],
    "skewed": [("hot", n) for n in range(200)] + [("cold", 5)],
}  # fmt: skip


def as_it_is(value: Any) -> Any:
    """The value itself, by a function that Spark cannot compute without Python."""
    return [value].pop()


class SplitNulls(ProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        if value[1] is None:
            yield NULLS, value
        else:
            yield value


class Totals(KeyedProcessFunction):
    """A sum a key in state, given by two timers, the second of which the first one sets."""

    def open(self, runtime_context: Any) -> None:
        self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.LONG()))
        self.seen = runtime_context.get_list_state(ListStateDescriptor("seen", Types.LONG()))

    def process_element(self, value: Any, ctx: Any) -> Any:
        self.total.update((self.total.value() or 0) + value[1])
        self.seen.add(value[1])
        ctx.timer_service().register_event_time_timer(100)
        return ()

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        if timestamp == 100:
            ctx.timer_service().register_event_time_timer(50_000)
        yield f"{ctx.get_current_key()} {self.total.value()} {sorted(self.seen.get())} at {timestamp}"


class Together(KeyedCoProcessFunction):
    """State that both inputs share: the second input's records see how many of the first came before."""

    def open(self, runtime_context: Any) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element1(self, value: Any, ctx: Any) -> Any:
        self.count.update((self.count.value() or 0) + 1)
        return ()

    def process_element2(self, value: Any, ctx: Any) -> Any:
        yield f"{value[0]} {self.count.value()}"


class Sides(CoMapFunction):
    def map1(self, value: Any) -> Any:
        return f"first {value[0]}"

    def map2(self, value: Any) -> Any:
        return f"second {value[1]}"


class FlatSides(CoFlatMapFunction):
    def flat_map1(self, value: Any) -> Any:
        return [f"{value[0]}{n}" for n in range(abs(value[1]) % 3)]

    def flat_map2(self, value: Any) -> Any:
        yield f"other {value[0]}"


class ProcessSides(CoProcessFunction):
    def process_element1(self, value: Any, ctx: Any) -> Any:
        yield value[1]

    def process_element2(self, value: Any, ctx: Any) -> Any:
        yield -(value[1] or 0)


class Mean(AggregateFunction):
    def create_accumulator(self) -> Any:
        return (0, 0)

    def add(self, value: Any, accumulator: Any) -> Any:
        return accumulator[0] + value[1], accumulator[1] + 1

    def get_result(self, accumulator: Any) -> Any:
        return accumulator[0] / accumulator[1]

    def merge(self, acc_a: Any, acc_b: Any) -> Any:
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


class Listing(ProcessWindowFunction):
    def process(self, key: Any, context: Any, elements: Any) -> Any:
        yield f"{key} [{context.window().start},{context.window().end}) {sorted(e[1] for e in elements)}"


async def doubled(value: Any) -> Any:
    return value[0] * 2


def environment(parallelism: int, chaining: bool = True) -> StreamExecutionEnvironment:
    env = StreamExecutionEnvironment()
    env.set_parallelism(parallelism)
    if not chaining:
        env.disable_operator_chaining()
    return env


def one_input(data: list[Any], parallelism: int, chaining: bool) -> JobDefinition:
    """map, flat_map, filter, process with a side output, async_map, union, and several readers of one stream."""
    env = environment(parallelism, chaining)
    source = env.from_collection(data, type_info=PAIR)
    kept = source.process(SplitNulls(), PAIR)
    kept.get_side_output(NULLS).map(lambda v: f"null of {v[0]}", Types.STRING()).print()
    doubles = kept.async_map(doubled, Types.STRING())
    words = kept.flat_map(lambda v: list(v[0]), Types.STRING()).filter(lambda c: c != "b")
    doubles.union(words).map(lambda s: s.upper(), Types.STRING()).print()
    kept.map(lambda v: {"n": v[1]}).filter(lambda d: d["n"] > 2).map(lambda d: d["n"], Types.LONG()).print()
    kept.rebalance().filter(lambda v: v[1] % 2 == 0).print()
    return env.build("one input")


def keyed(data: list[Any], parallelism: int, chaining: bool) -> JobDefinition:
    """sum, min, max, reduce, keyed process, windows in all forms."""
    env = environment(parallelism, chaining)
    kept = env.from_collection(data, type_info=PAIR).filter(lambda v: v[1] is not None)
    by_column = kept.key_by(lambda v: v[0])
    by_column.sum(1).print()
    kept.key_by(lambda v: v[1] % 3, Types.LONG()).max(1).map(lambda v: v[1], Types.LONG()).print()
    kept.key_by(lambda v: v[1] % 2).min(1).map(lambda v: v[1], Types.LONG()).print()
    kept.map(lambda v: v).key_by(lambda v: v[0]).sum(1).print()
    by_column.reduce(lambda a, b: (a[0], (a[1] * 2 + b[1] * 2) % 1_000_003)).map(lambda v: v[0], Types.STRING()).print()
    by_column.process(Totals(), Types.STRING()).print()
    timed = kept.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda v, _: v[1] * 1000)
    )
    grouped = timed.key_by(lambda v: v[0])
    grouped.window(TumblingEventTimeWindows.of(Time.seconds(5))).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
    grouped.window(SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(4))).process(
        Listing(), Types.STRING()
    ).print()
    grouped.window(EventTimeSessionWindows.with_gap(Time.seconds(4))).aggregate(Mean(), Types.DOUBLE()).print()
    return env.build("keyed")


def two_inputs(data: list[Any], parallelism: int, chaining: bool) -> JobDefinition:
    """co_map, co_flat_map, co_process, keyed and not, with a broadcast side."""
    env = environment(parallelism, chaining)
    first = env.from_collection(data, type_info=PAIR).filter(lambda v: v[1] is not None)
    second = env.from_collection([("a", 10), ("b", None), ("ü", 30), ("hot", 1)], type_info=PAIR)
    first.connect(second).map(Sides(), Types.STRING()).print()
    first.connect(second.broadcast()).flat_map(FlatSides(), Types.STRING()).print()
    first.connect(second).process(ProcessSides(), Types.LONG()).print()
    first.connect(second).key_by(lambda v: v[0], lambda v: v[0]).process(Together(), Types.STRING()).print()
    return env.build("two inputs")


JOBS = {"one_input": one_input, "keyed": keyed, "two_inputs": two_inputs}
