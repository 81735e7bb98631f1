"""Event-time windows over one key's records. Runs on executors.

A batch has seen every record of a key before its windows close, so no record is late and each window gives its result
once, in the order of the windows' ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spark_runner.executor.chain import ChainSpec, NodeSpec, Place
from spark_runner.executor.roles.batch_state import NO_TIMESTAMP, TimeWindow, WindowContext
from spark_runner.executor.roles.keyed import KeyedRole
from spark_runner.executor.roles.plain import method

Bounds = tuple[int, int]
_MOST_KNOWN = 10_000  # steps whose windows are remembered
NO_EVENT_TIME = (
    "the record has no event time: in front of the window, call assign_timestamps_and_watermarks "
    "with a strategy that has a timestamp assigner, or set `time`"
)


def assigned(assigner: str, stamp: int, size: int, slide: int | None, offset: int) -> list[Bounds]:
    """The tumbling or sliding windows a time falls into, the latest first; a session starts as one gap."""
    if assigner == "session":
        return [(stamp, stamp + size)]
    step = size if assigner == "tumbling" or slide is None else slide
    last = stamp - (stamp - offset) % step
    return [(start, start + size) for start in range(last, stamp - size, -step)]


class WindowRole(KeyedRole):
    """Windows of one key: each holds its accumulator, or its records where the function wants them all."""

    def __init__(self, node: NodeSpec, spec: ChainSpec, place: Place) -> None:
        super().__init__(node, spec, place)
        shape = node.options["window"]
        self.form, self.assigner = shape["form"], shape["assigner"]
        self.size, self.slide, self.offset = shape["size"], shape["slide"], shape["offset"]
        self.step = self.size if self.assigner == "tumbling" or self.slide is None else self.slide
        self.regular = self.assigner != "session" and self.size % self.step == 0
        self.known: dict[int, list[Bounds]] = {}  # the windows of every time in a step, by when the step begins
        self.held: dict[Bounds, Any] = {}

    def open(self) -> None:
        super().open()
        self.add = self._adding()  # not earlier: a function may make its method when it is opened

    def record(self, value: Any, stamp: int | None, side: int) -> None:
        if stamp is None or stamp == NO_TIMESTAMP:
            raise ValueError(NO_EVENT_TIME)
        if self.assigner == "session":
            self._join_session((stamp, stamp + self.size), value)
            return
        add = self.add
        for bounds in self._windows(stamp):
            add(bounds, value)

    def _windows(self, stamp: int) -> list[Bounds]:
        if not self.regular:
            return assigned(self.assigner, stamp, self.size, self.slide, self.offset)
        begin = stamp - (stamp - self.offset) % self.step
        found = self.known.get(begin)
        if found is None:
            if len(self.known) >= _MOST_KNOWN:
                self.known.clear()
            found = self.known[begin] = assigned(self.assigner, stamp, self.size, self.slide, self.offset)
        return found

    def _join_session(self, bounds: Bounds, value: Any) -> None:
        # records come in event-time order, so only the latest session can take one more
        last = next(reversed(self.held), None)
        if last is not None and bounds[0] <= last[1]:
            kept = self.held.pop(last)
            bounds = (last[0], max(last[1], bounds[1]))
            self.held[bounds] = kept
        self.add(bounds, value)

    def _adding(self) -> Callable[[Bounds, Any], None]:
        """How a record goes into a window."""
        held, function = self.held, self.function
        if self.form == "reduce":
            reduce = method(function, "reduce")

            def add(bounds: Bounds, value: Any) -> None:
                held[bounds] = reduce(held[bounds], value) if bounds in held else value

        elif self.form == "aggregate":
            create, accumulate = function.create_accumulator, function.add

            def add(bounds: Bounds, value: Any) -> None:
                held[bounds] = accumulate(value, held[bounds] if bounds in held else create())

        else:

            def add(bounds: Bounds, value: Any) -> None:
                if bounds in held:
                    held[bounds].append(value)
                else:
                    held[bounds] = [value]

        return add

    def end_key(self) -> None:
        for bounds in sorted(self.held, key=lambda one: (one[1], one[0])):
            self.emissions.take(self._result(bounds, self.held[bounds]), bounds[1] - 1)
        self.held.clear()

    def _result(self, bounds: Bounds, held: Any) -> Any:
        if self.form == "reduce":
            return (held,)
        if self.form == "aggregate":
            return (self.function.get_result(held),)
        window = TimeWindow(*bounds)
        assert self.state is not None
        if callable(getattr(self.function, "apply", None)):
            return self.function.apply(self.state.key, window, held)
        return method(self.function, "process")(self.state.key, WindowContext(window, self.runtime), held)
