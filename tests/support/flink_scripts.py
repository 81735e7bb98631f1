"""Event-time scripts that PyFlink and this project run as they are: `api` has PyFlink's names, of either.

Nothing in the input is later than the disorder allowed, so that Flink's timing of watermarks decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

__all__ = ["DISORDER", "SCRIPTS", "records"]

DISORDER = 30


def records(seed: int, count: int = 80) -> list[tuple[str, int, int]]:
    """(key, number, time), each at most DISORDER behind the latest."""
    random, now, found = Random(seed), 0, []
    for number in range(count):
        now += random.randint(0, 9)
        found.append((random.choice("abcd"), number, max(0, now - random.randint(0, DISORDER))))
    return found


def _timed(api: Any, env: Any, seed: int) -> Any:
    class Assigner(api.TimestampAssigner):  # type: ignore[misc]
        def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
            return int(value[2])

    strategy = api.WatermarkStrategy.for_bounded_out_of_orderness(api.Duration.of_millis(DISORDER))
    stream = env.from_collection(records(seed), _record(api))
    return stream.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(Assigner()))


def _record(api: Any) -> Any:
    return api.Types.TUPLE([api.Types.STRING(), api.Types.LONG(), api.Types.LONG()])


def _keyed(api: Any, stream: Any) -> Any:
    return stream.key_by(lambda record: record[0], key_type=api.Types.STRING())


def _add(one: Any, other: Any) -> Any:
    return (one[0], one[1] + other[1], max(one[2], other[2]))


def _window(assigner: Callable[[Any], Any], form: str) -> Callable[[Any, Any], Any]:
    def build(api: Any, env: Any) -> Any:
        windowed = _keyed(api, _timed(api, env, 3)).window(assigner(api))
        if form == "reduce":
            return windowed.reduce(_add)
        if form == "aggregate":
            return windowed.aggregate(_aggregate(api), output_type=_record(api))
        return windowed.process(_listing(api), _record(api))

    return build


def _aggregate(api: Any) -> Any:
    class Mean(api.AggregateFunction):  # type: ignore[misc]
        def create_accumulator(self) -> Any:
            return (0, 0, 0)

        def add(self, value: Any, accumulator: Any) -> Any:
            return (accumulator[0] + 1, accumulator[1] + value[1], max(accumulator[2], value[2]))

        def get_result(self, accumulator: Any) -> Any:
            return (f"n{accumulator[0]}", accumulator[1], accumulator[2])

        def merge(self, a: Any, b: Any) -> Any:
            return (a[0] + b[0], a[1] + b[1], max(a[2], b[2]))

    return Mean()


def _listing(api: Any) -> Any:
    class Listing(api.ProcessWindowFunction):  # type: ignore[misc]
        def process(self, key: Any, context: Any, elements: Any) -> Any:
            numbers = sorted(one[1] for one in elements)
            window = context.window()
            yield (
                f"{key}[{window.start},{window.end})",
                sum(n * (at + 1) for at, n in enumerate(numbers)),
                len(numbers),
            )

    return Listing()


def _tumbling(api: Any) -> Any:
    return api.TumblingEventTimeWindows.of(api.Time.milliseconds(25))


def _shifted(api: Any) -> Any:
    return api.TumblingEventTimeWindows.of(api.Time.milliseconds(25), api.Time.milliseconds(7))


def _sliding(api: Any) -> Any:
    return api.SlidingEventTimeWindows.of(api.Time.milliseconds(30), api.Time.milliseconds(10))


def _session(api: Any) -> Any:
    return api.EventTimeSessionWindows.with_gap(api.Time.milliseconds(15))


def _aggregated(kind: str) -> Callable[[Any, Any], Any]:
    def build(api: Any, env: Any) -> Any:
        keyed = _keyed(api, _timed(api, env, 5))
        return keyed.reduce(_add) if kind == "reduce" else getattr(keyed, kind)(1)

    return build


def _timers(api: Any, env: Any) -> Any:
    class Counting(api.KeyedProcessFunction):  # type: ignore[misc]
        def open(self, runtime_context: Any) -> None:
            self.count = runtime_context.get_state(api.ValueStateDescriptor("count", api.Types.LONG()))

        def process_element(self, value: Any, ctx: Any) -> Any:
            self.count.update((self.count.value() or 0) + 1)
            ctx.timer_service().register_event_time_timer(value[2] // 20 * 20 + 100)

        def on_timer(self, timestamp: int, ctx: Any) -> Any:
            yield (ctx.get_current_key(), 1, timestamp)

    return _keyed(api, _timed(api, env, 7)).process(Counting(), output_type=_record(api))


def _states(api: Any, env: Any) -> Any:
    class States(api.KeyedProcessFunction):  # type: ignore[misc]
        def open(self, runtime_context: Any) -> None:
            long = api.Types.LONG()
            self.list = runtime_context.get_list_state(api.ListStateDescriptor("list", long))
            self.map = runtime_context.get_map_state(api.MapStateDescriptor("map", long, long))
            self.sum = runtime_context.get_reducing_state(api.ReducingStateDescriptor("sum", lambda a, b: a + b, long))

        def process_element(self, value: Any, ctx: Any) -> Any:
            self.list.add(value[1])
            self.map.put(value[1] % 5, value[1])
            self.sum.add(value[1])
            kept = list(self.list.get())
            if len(kept) > 4:
                self.list.update(kept[2:])
            yield (value[0], self.sum.get() * 100 + len(kept), sum(self.map.values()))

    return _keyed(api, _timed(api, env, 9)).process(States(), output_type=_record(api))


def _sides(api: Any, env: Any) -> Any:
    tag = api.OutputTag("odd", _record(api))

    class Sides(api.ProcessFunction):  # type: ignore[misc]
        def process_element(self, value: Any, ctx: Any) -> Any:
            if value[1] % 2:
                yield tag, value
            else:
                yield (value[0], -value[1], ctx.timestamp())

    main = _timed(api, env, 11).process(Sides(), output_type=_record(api))
    return main.union(main.get_side_output(tag))


def _joined(api: Any, env: Any) -> Any:
    class Joined(api.KeyedCoProcessFunction):  # type: ignore[misc]
        def open(self, runtime_context: Any) -> None:
            self.left = runtime_context.get_state(api.ValueStateDescriptor("left", api.Types.LONG()))
            self.right = runtime_context.get_state(api.ValueStateDescriptor("right", api.Types.LONG()))

        def process_element1(self, value: Any, ctx: Any) -> Any:
            self.left.update((self.left.value() or 0) + value[1])
            ctx.timer_service().register_event_time_timer(100_000)

        def process_element2(self, value: Any, ctx: Any) -> Any:
            self.right.update((self.right.value() or 0) + value[1])
            ctx.timer_service().register_event_time_timer(100_000)

        def on_timer(self, timestamp: int, ctx: Any) -> Any:
            yield (ctx.get_current_key(), self.left.value() or 0, self.right.value() or 0)

    both = _keyed(api, _timed(api, env, 13)).connect(_keyed(api, _timed(api, env, 14)))
    return both.process(Joined(), output_type=_record(api))


def _union(api: Any, env: Any) -> Any:
    both = _timed(api, env, 15).union(_timed(api, env, 16))
    return _keyed(api, both).window(_tumbling(api)).reduce(_add)


def _chain(api: Any, env: Any) -> Any:
    stream = _timed(api, env, 17).flat_map(lambda r: [r, (r[0] + "x", 1, r[2])], output_type=_record(api))
    kept = stream.filter(lambda r: r[1] % 3 != 2).map(lambda r: (r[0], r[1] + 1, r[2]), output_type=_record(api))
    return _keyed(api, kept).sum(1)


def _twice(api: Any, env: Any) -> Any:
    first = _keyed(api, _timed(api, env, 19)).window(_tumbling(api)).reduce(_add)
    second = first.map(lambda r: ("all", r[1], r[2]), output_type=_record(api))
    return _keyed(api, second).window(api.TumblingEventTimeWindows.of(api.Time.milliseconds(100))).reduce(_add)


_SHAPES = {"tumbling": _tumbling, "sliding": _sliding, "session": _session, "shifted": _shifted}
SCRIPTS: dict[str, Callable[[Any, Any], Any]] = {
    **{f"{n}-{f}": _window(a, f) for n, a in _SHAPES.items() for f in ("reduce", "aggregate", "process")},
    **{kind: _aggregated(kind) for kind in ("sum", "min", "max", "reduce")},
    "timers": _timers,
    "states": _states,
    "sides": _sides,
    "joined": _joined,
    "union": _union,
    "chain": _chain,
    "twice": _twice,
}
