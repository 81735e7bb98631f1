"""User functions of every kind for random streaming jobs. Records are (key, number, time)."""

from __future__ import annotations

from typing import Any

from planner import (
    AggregateFunction,
    AggregatingStateDescriptor,
    AsyncFunction,
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    FilterFunction,
    FlatMapFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ListStateDescriptor,
    MapFunction,
    MapStateDescriptor,
    OutputTag,
    ProcessFunction,
    ProcessWindowFunction,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)

Record = tuple[str, int, int]
ODD = OutputTag("odd")
LATE = OutputTag("late")


def key_of(record: Any) -> Any:
    """The first field."""
    return record[0]


def time_of(record: Any) -> int:
    """The third field."""
    return int(record[2])


def doubled(record: Any) -> Any:
    """A map."""
    return (record[0], record[1] * 2, record[2])


def renamed(record: Any) -> Any:
    """A map that changes keys."""
    return ("xyz"[record[1] % 3], record[1], record[2])


def wanted(record: Any) -> bool:
    """A filter."""
    return bool(record[1] % 5 != 3)


def twice(record: Any) -> list[Any]:
    """A flat_map."""
    return [record, ("k" + record[0], record[1] + 1, record[2])][: record[1] % 3]


def added(one: Any, other: Any) -> Any:
    """A reduce."""
    return (one[0], one[1] + other[1], max(one[2], other[2]))


def by_number(key: Any, count: int) -> int:
    """A partitioner."""
    return len(key) % count


class Sides(ProcessFunction):  # type: ignore[misc]
    """Odd numbers go aside."""

    def process_element(self, value: Any, ctx: Any) -> Any:
        if value[1] % 2:
            yield ODD, value
        else:
            yield (value[0], value[1], ctx.timestamp() if ctx.timestamp() is not None else value[2])


class Remembering(MapFunction):  # type: ignore[misc]
    """Counts in an attribute, as beginners do."""

    def open(self, runtime_context: Any) -> None:
        self.seen = 0

    def map(self, value: Any) -> Any:
        self.seen += 1
        return (value[0], self.seen, value[2])


class Timers(KeyedProcessFunction):  # type: ignore[misc]
    """All kinds of state, timers that set timers, and one that is taken back."""

    def open(self, runtime_context: Any) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count"))
        self.list = runtime_context.get_list_state(ListStateDescriptor("list"))
        self.map = runtime_context.get_map_state(MapStateDescriptor("map"))
        self.sum = runtime_context.get_reducing_state(ReducingStateDescriptor("sum", lambda a, b: a + b))
        self.mean = runtime_context.get_aggregating_state(AggregatingStateDescriptor("mean", Mean()))

    def process_element(self, value: Any, ctx: Any) -> Any:
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        self.list.add(value[1])
        self.map.put(value[1] % 4, value[1])
        self.sum.add(value[1])
        self.mean.add(value)
        service = ctx.timer_service()
        service.register_event_time_timer(value[2] + 7 * (value[1] % 4))
        if value[1] % 6 == 0:
            service.delete_event_time_timer(value[2])
        if count % 5 == 0:
            self.count.clear()
        if count % 3 == 0:
            yield ODD, (value[0], count, value[2])
        yield (value[0], self.sum.get(), value[2])

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        key = ctx.get_current_key()
        held = sorted(self.list.get())
        if len(held) > 3:
            self.list.update(held[2:])
            self.map.remove(2)
            ctx.timer_service().register_event_time_timer(timestamp + 5)
        yield (f"{key}!", sum(held) + len(self.map.keys()), timestamp)
        if self.mean.get() is not None and self.mean.get()[1] > 40:
            self.mean.clear()
            self.sum.clear()


class Mean(AggregateFunction):  # type: ignore[misc]
    """The sum, the count and the latest time."""

    def create_accumulator(self) -> Any:
        return (0, 0, -1)

    def add(self, value: Any, accumulator: Any) -> Any:
        return (accumulator[0] + 1, accumulator[1] + value[1], max(accumulator[2], value[2]))

    def get_result(self, accumulator: Any) -> Any:
        return (f"n{accumulator[0]}", accumulator[1], accumulator[2])

    def merge(self, a: Any, b: Any) -> Any:
        return (a[0] + b[0], a[1] + b[1], max(a[2], b[2]))


class Listed(ProcessWindowFunction):  # type: ignore[misc]
    """All records of a window, and how often the window fired."""

    def process(self, key: Any, context: Any, elements: Any) -> Any:
        fired = context.window_state().get_state(ValueStateDescriptor("fired"))
        fired.update((fired.value() or 0) + 1)
        ever = context.global_state().get_state(ValueStateDescriptor("ever"))
        ever.update((ever.value() or 0) + 1)
        numbers = [one[1] for one in elements]
        yield (f"{key}:{fired.value()}:{ever.value()}", sum(numbers) * 31 + numbers[0], context.window().end)


class Merged(ProcessWindowFunction):  # type: ignore[misc]
    """All records of a session: windows that merge have no state of their own."""

    def process(self, key: Any, context: Any, elements: Any) -> Any:
        numbers = [one[1] for one in elements]
        yield (f"{key}:{context.window().start}", sum(numbers) * 31 + numbers[0], context.window().end)


class Joined(KeyedCoProcessFunction):  # type: ignore[misc]
    """Two inputs that share the key's state, and a timer."""

    def open(self, runtime_context: Any) -> None:
        self.left = runtime_context.get_list_state(ListStateDescriptor("left"))
        self.right = runtime_context.get_state(ValueStateDescriptor("right"))

    def process_element1(self, value: Any, ctx: Any) -> Any:
        self.left.add(value[1])
        ctx.timer_service().register_event_time_timer(value[2] + 10)
        if self.right.value() is not None:
            yield (value[0], value[1] * 1000 + self.right.value(), value[2])

    def process_element2(self, value: Any, ctx: Any) -> Any:
        self.right.update(value[1])
        for one in self.left.get():
            yield (value[0], one, value[2])

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        held = list(self.left.get())
        self.left.update(held[1:])
        yield (f"{ctx.get_current_key()}?", len(held), timestamp)


class Rules(CoProcessFunction):  # type: ignore[misc]
    """Rules come by broadcast and are kept in an attribute."""

    def open(self, runtime_context: Any) -> None:
        self.rules: dict[str, int] = {}

    def process_element1(self, value: Any, ctx: Any) -> Any:
        yield (value[0], value[1] + self.rules.get(value[0], 0), value[2])

    def process_element2(self, value: Any, ctx: Any) -> Any:
        self.rules[value[0]] = value[1]


RULES = MapStateDescriptor("rules")


def gap_of(record: Any) -> int:
    """The gap of a session."""
    return int(3 + record[1] % 17)


class Numbered(MapFunction):  # type: ignore[misc]
    """map with keyed state."""

    def open(self, runtime_context: Any) -> None:
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen"))

    def map(self, value: Any) -> Any:
        self.seen.update((self.seen.value() or 0) + 1)
        return (value[0], value[1] * 100 + self.seen.value(), value[2])


class Pairs(FlatMapFunction):  # type: ignore[misc]
    """flat_map with keyed state: a record with the one before it."""

    def open(self, runtime_context: Any) -> None:
        self.last = runtime_context.get_state(ValueStateDescriptor("last"))

    def flat_map(self, value: Any) -> Any:
        last = self.last.value()
        self.last.update(value[1])
        if last is not None:
            yield (value[0], last * 100 + value[1], value[2])


class New(FilterFunction):  # type: ignore[misc]
    """filter with keyed state: a number that the key has not had yet."""

    def open(self, runtime_context: Any) -> None:
        self.had = runtime_context.get_map_state(MapStateDescriptor("had"))

    def filter(self, value: Any) -> bool:
        known = self.had.contains(value[1] % 7)
        self.had.put(value[1] % 7, True)
        return not known


class CoMapped(CoMapFunction):  # type: ignore[misc]
    """A map for each input."""

    def map1(self, value: Any) -> Any:
        return (value[0], value[1] + 1000, value[2])

    def map2(self, value: Any) -> Any:
        return (value[0], value[1] + 2000, value[2])


class CoFlat(CoFlatMapFunction):  # type: ignore[misc]
    """A flat_map for each input; on keyed inputs they share a state."""

    def open(self, runtime_context: Any) -> None:
        self.sum = runtime_context.get_state(ValueStateDescriptor("sum"))

    def flat_map1(self, value: Any) -> Any:
        self.sum.update((self.sum.value() or 0) + value[1])
        return []

    def flat_map2(self, value: Any) -> Any:
        return [(value[0], self.sum.value() or -1, value[2])] * (value[1] % 3)


class Asked(AsyncFunction):  # type: ignore[misc]
    """Answers later, and with any number of records."""

    async def async_invoke(self, value: Any) -> Any:
        return [(value[0], value[1] + 7, value[2])] * (1 + value[1] % 2)


async def answered(value: Any) -> Any:
    """Answers later, with one record."""
    return (value[0], value[1] + 9, value[2])


class Ruled(BroadcastProcessFunction):  # type: ignore[misc]
    """Rules in broadcast state."""

    def process_element(self, value: Any, ctx: Any) -> Any:
        rule = ctx.get_broadcast_state(RULES).get(value[0])
        yield (value[0], value[1] + (rule or 0) * 1000, value[2])

    def process_broadcast_element(self, value: Any, ctx: Any) -> Any:
        rules = ctx.get_broadcast_state(RULES)
        if value[1] % 5 == 0:
            rules.remove(value[0])
        else:
            rules.put(value[0], value[1])
        yield (f"{value[0]}:rules", len(list(rules.keys())), value[2])


class KeyRuled(KeyedBroadcastProcessFunction):  # type: ignore[misc]
    """Rules in broadcast state beside keyed state and timers; a rule may look at every key."""

    TOTAL = ValueStateDescriptor("total")

    def open(self, runtime_context: Any) -> None:
        self.total = runtime_context.get_state(self.TOTAL)

    def process_element(self, value: Any, ctx: Any) -> Any:
        self.total.update((self.total.value() or 0) + value[1] + (ctx.get_broadcast_state(RULES).get("sum") or 0))
        ctx.timer_service().register_event_time_timer(value[2] + 9)
        yield (value[0], self.total.value(), value[2])

    def process_broadcast_element(self, value: Any, ctx: Any) -> Any:
        ctx.get_broadcast_state(RULES).put("sum", value[1] % 4)
        if value[1] % 3 == 0:
            found: list[int] = []
            ctx.apply_to_keyed_state(self.TOTAL, lambda key, state: found.append(state.value()))
            ctx.apply_to_keyed_state(self.TOTAL, lambda key, state: state.update(state.value() + 1))
            yield ("all", sum(found), value[2])

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        yield (f"{ctx.get_current_key()}!", self.total.value() or 0, timestamp)


class Grouped(ProcessWindowFunction):  # type: ignore[misc]
    """All records of a window of any kind."""

    def process(self, key: Any, context: Any, elements: Any) -> Any:
        numbers = [one[1] for one in elements]
        yield (f"{key}:{len(numbers)}", sum(numbers) * 31 + numbers[0], max(one[2] for one in elements))
