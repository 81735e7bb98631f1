"""Random streaming jobs: out-of-order input from several producers, every kind of operator, every way to ship."""

from __future__ import annotations

from random import Random
from typing import Any

from planner import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    Duration,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    WatermarkStrategy,
)
from planner.job import JobDefinition
from tests.support import stream_functions as functions

_STATELESS = ("map", "filter", "flat_map", "process", "async", "none", "none")
_SHIPPING = ("rebalance", "rescale", "shuffle", "broadcast", "global_", "forward", "custom", "none", "none", "none")
KEYED = (
    "sum", "min", "max", "reduce", "timers", "tumbling", "sliding", "session", "joined", "rules", "remembering",
    "plain", "keyed_map", "keyed_flat_map", "keyed_filter", "co_map", "co_flat_map", "broadcast", "keyed_broadcast",
    "count", "global", "dynamic", "triggered",
)  # fmt: skip


def records(random: Random, count: int) -> list[functions.Record]:
    """Records whose times go up, with some disorder and some that are very late."""
    found, now = [], 0
    for _ in range(count):
        now += random.randint(0, 12)
        back = random.choice((0, 0, 0, random.randint(0, 15), random.randint(20, 90)))
        found.append((random.choice("abcde"), random.randint(0, 60), max(0, now - back)))
    return found


def random_job(seed: int, kind: str | None = None) -> JobDefinition:
    """One job; `kind` is the keyed operator in its middle."""
    return _Maker(Random(seed), kind).job()


class _Maker:
    def __init__(self, random: Random, kind: str | None) -> None:
        self.random, self.kind = random, kind or random.choice(KEYED)
        self.env = StreamExecutionEnvironment()
        self.env.set_parallelism(random.randint(1, 3))
        if random.random() < 0.2:
            self.env.disable_operator_chaining()

    def job(self) -> JobDefinition:
        stream = self._shipped(self._stateless(self._source()))
        if self.random.random() < 0.3:
            stream = stream.union(self._stateless(self._source()))
        made = self._middle(stream)
        if self.random.random() < 0.4:
            made = self._middle(self._stateless(made).map(functions.renamed), second=True)
        self._stateless(made).print()
        if self.random.random() < 0.3:
            self._shipped(made).map(functions.doubled).print()
        return self.env.build("random")

    def _source(self) -> Any:
        strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(self.random.choice((0, 3, 10))))
        source = self.env.from_collection(records(self.random, self.random.randint(5, 40)))
        source.set_parallelism(self.random.randint(1, 3))
        return source.assign_timestamps_and_watermarks(
            strategy.with_timestamp_assigner(functions.time_of)
        ).set_parallelism(self.random.randint(1, 3) if self.random.random() < 0.2 else self._parallelism_of(source))

    def _parallelism_of(self, stream: Any) -> int:
        node = stream._draft
        while "kind" not in node.arguments:  # a union or a side output: as the operator behind it
            node = node.inputs[0]
        return int(node.arguments.get("parallelism") or self.env.get_parallelism())

    def _stateless(self, stream: Any) -> Any:
        for _ in range(self.random.randint(0, 2)):
            chosen = self.random.choice(_STATELESS)
            if chosen == "map":
                stream = stream.map(functions.doubled)
            elif chosen == "filter":
                stream = stream.filter(functions.wanted)
            elif chosen == "flat_map":
                stream = stream.flat_map(functions.twice)
            elif chosen == "async":
                stream = stream.async_map(functions.answered if self.random.random() < 0.5 else functions.Asked())
            elif chosen == "process":
                aside = stream.process(functions.Sides())
                stream = aside.union(aside.get_side_output(functions.ODD)) if self.random.random() < 0.5 else aside
        return stream

    def _shipped(self, stream: Any) -> Any:
        chosen = self.random.choice(_SHIPPING)
        if chosen == "none":
            return stream
        if chosen == "custom":
            return stream.partition_custom(functions.by_number, functions.key_of).map(functions.doubled)
        if chosen == "forward":
            return stream.forward().map(functions.doubled).set_parallelism(self._parallelism_of(stream))
        return getattr(stream, chosen)().map(functions.doubled)

    def _middle(self, stream: Any, *, second: bool = False) -> Any:
        kind = self.random.choice(KEYED) if second else self.kind
        keyed = stream.key_by(functions.key_of)
        if kind in ("sum", "min", "max"):
            return getattr(keyed, kind)(1)
        if kind == "reduce":
            return keyed.reduce(functions.added)
        if kind == "timers":
            return self._aside(keyed.process(functions.Timers()), functions.ODD)
        if kind == "joined":
            other = self._stateless(self._source()).key_by(functions.key_of)
            return keyed.connect(other).process(functions.Joined())
        if kind == "rules":
            return stream.connect(self._source().broadcast()).process(functions.Rules())
        if kind == "remembering":
            return (stream.rebalance() if self.random.random() < 0.5 else stream).map(functions.Remembering())
        if kind in ("tumbling", "sliding", "session"):
            return self._window(keyed, kind)
        if kind in ("count", "global", "dynamic", "triggered"):
            return self._triggered(keyed, kind)
        return self._with_state(stream, keyed, kind)

    def _with_state(self, stream: Any, keyed: Any, kind: str) -> Any:
        """Plain operators behind a key, and operators of two inputs."""
        if kind in ("keyed_map", "keyed_flat_map", "keyed_filter"):
            function = {"map": functions.Numbered(), "flat_map": functions.Pairs(), "filter": functions.New()}
            return getattr(keyed, kind.removeprefix("keyed_"))(function[kind.removeprefix("keyed_")])
        if kind == "co_map":
            return stream.connect(self._stateless(self._source())).map(functions.CoMapped())
        if kind == "co_flat_map":
            other = self._stateless(self._source()).key_by(functions.key_of)
            return keyed.connect(other).flat_map(functions.CoFlat())
        if kind in ("broadcast", "keyed_broadcast"):
            rules = self._stateless(self._source()).broadcast(functions.RULES)
            if kind == "broadcast":
                return stream.connect(rules).process(functions.Ruled())
            return keyed.connect(rules).process(functions.KeyRuled())
        return stream.map(functions.doubled)

    def _triggered(self, keyed: Any, kind: str) -> Any:
        number = self.random.choice((1, 2, 3, 5))
        counting: Any = CountTrigger.of(number)
        if self.random.random() < 0.5:
            counting = PurgingTrigger.of(counting)
        if kind == "count":
            windowed = keyed.count_window(number, self.random.choice((0, 1, 2, 4)))
        elif kind == "global":
            windowed = keyed.window(GlobalWindows.create()).trigger(counting)
        elif kind == "dynamic":
            windowed = keyed.window(EventTimeSessionWindows.with_dynamic_gap(functions.gap_of))
        else:
            size = self.random.choice((10, 25))
            windows = (
                TumblingEventTimeWindows.of(Time.milliseconds(size)),
                SlidingEventTimeWindows.of(Time.milliseconds(size), Time.milliseconds(5)),
            )
            often = ContinuousEventTimeTrigger.of(Time.milliseconds(self.random.choice((3, 7))))
            trigger = self.random.choice((counting, often, PurgingTrigger.of(EventTimeTrigger.create())))
            windowed = keyed.window(self.random.choice(windows)).trigger(trigger)
        if kind in ("dynamic", "triggered"):
            windowed = windowed.allowed_lateness(self.random.choice((0, 10, 40)))
            windowed = windowed.side_output_late_data(functions.LATE)
        form = self.random.choice(("reduce", "aggregate", "process"))
        function = {"reduce": functions.added, "aggregate": functions.Mean(), "process": functions.Grouped()}[form]
        made = getattr(windowed, form)(function)
        return self._aside(made, functions.LATE) if kind in ("dynamic", "triggered") else made

    def _aside(self, stream: Any, tag: Any) -> Any:
        stream.get_side_output(tag).print()
        return stream

    def _window(self, keyed: Any, kind: str) -> Any:
        size = self.random.choice((5, 10, 25))
        windows = {
            "tumbling": lambda: TumblingEventTimeWindows.of(Time.milliseconds(size), Time.milliseconds(size // 3)),
            "sliding": lambda: SlidingEventTimeWindows.of(
                Time.milliseconds(size), Time.milliseconds(max(1, size // 2))
            ),
            "session": lambda: EventTimeSessionWindows.with_gap(Time.milliseconds(size)),
        }
        windowed = keyed.window(windows[kind]())
        if self.random.random() < 0.6:
            windowed = windowed.allowed_lateness(self.random.choice((1, 10, 40)))
        windowed = windowed.side_output_late_data(functions.LATE)
        form = self.random.choice(("reduce", "aggregate", "process"))
        if form == "reduce":
            made = windowed.reduce(functions.added)
        elif form == "aggregate":
            made = windowed.aggregate(functions.Mean())
        else:
            made = windowed.process(functions.Merged() if kind == "session" else functions.Listed())
        return self._aside(made, functions.LATE)
