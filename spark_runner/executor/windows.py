"""Windows: of every kind with any trigger, and a quicker way for plain event-time windows. Runs on workers.

`Windows` asks an assigner and a trigger about every record, as Flink's window operator does. `PlainWindows` is for
tumbling, sliding and session windows of event time that fire at their end: a record touches only its own windows, and
the sessions of a key are kept in order, so that each record finds its own at once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import reduce
from operator import itemgetter
from typing import Any

from spark_runner.executor.contexts import Metrics, Runtime, state_of
from spark_runner.executor.keyed import Keyed
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.operators import Task, method
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP, TimeWindow, Values
from spark_runner.executor.store import Domain, Entry
from spark_runner.executor.turns import Turns
from spark_runner.executor.window_shapes import NO_EVENT_TIME, WindowShape

__all__ = ["PlainWindows", "Windows"]

_WINDOWS, _HOMES = "\0windows", "\0homes"  # names of a key's own state
_MOST_KNOWN = 10_000  # steps whose windows are remembered
Bounds = tuple[int, int]


# --- what windows hold, and what becomes of it ------------------------------------------------------------------------


class Contents:
    """How records become a window's contents, and its contents a result."""

    def __init__(self, form: str, function: Any) -> None:
        self.form, self.function = form, function
        if form == "reduce":
            self._reduce = method(function, "reduce")
        elif form == "aggregate":
            self._create, self._add = function.create_accumulator, function.add

    def first(self, value: Any) -> Any:
        """The contents of a window with one record."""
        if self.form == "reduce":
            return value
        return self._add(value, self._create()) if self.form == "aggregate" else [value]

    def adding(self) -> Callable[[Any, Any], Any]:
        """What gives the contents with one record more."""
        if self.form == "reduce":
            return self._reduce
        if self.form == "aggregate":
            add = self._add
            return lambda held, value: add(value, held)
        return _appended

    def together(self, parts: list[Any]) -> Any:
        """The contents of several windows in one."""
        return reduce(self._joined, parts)

    def _joined(self, one: Any, other: Any) -> Any:
        if self.form == "reduce":
            return self._reduce(one, other)
        return self.function.merge(one, other) if self.form == "aggregate" else [*one, *other]


def _appended(held: list[Any], value: Any) -> list[Any]:
    held.append(value)
    return held


class FunctionContext:
    """What a window function gets: the window, times, and state of the key and of the window."""

    def __init__(self, operator: WindowOperator) -> None:
        self._operator, self._runtime = operator, operator.runtime()
        self._window: Any = None

    def turn(self, window: Any) -> None:
        """Make a window the current one."""
        self._window = window

    def window(self) -> Any:
        return self._window

    def current_processing_time(self) -> int:
        return self._operator.task.processing_time()

    def current_watermark(self) -> int:
        return self._operator.watermark

    def global_state(self) -> Runtime:
        return self._runtime

    def window_state(self) -> Any:
        if self._operator.merges:
            return NoWindowState(self._operator.script)
        self._operator.cleans = self._operator.remembers = True
        return Runtime(self._operator, OfWindow(self._operator, self._window))


class NoWindowState:
    """Windows that merge have no state of their own."""

    def __init__(self, script: bool) -> None:
        self._script = script

    def _refuse(self, descriptor: Any) -> Any:
        if self._script:
            raise Exception("Per-window state is not allowed when using merging windows.")
        raise RuntimeError("state of a window cannot be kept where windows merge: use global_state() in sessions")

    get_state = get_list_state = get_map_state = get_reducing_state = get_aggregating_state = _refuse


def _own_state(window: Any) -> Any:
    """Under which name a key keeps the state of one window."""
    return "\0window", window


class OfWindow(Values):
    """The current key's state for one window alone."""

    def __init__(self, operator: Keyed, window: Any) -> None:
        self._store, self._name = operator.store, _own_state(window)
        self.key = operator.store.key

    @property
    def values(self) -> dict[Any, Any]:  # type: ignore[override]
        return self._store.values.setdefault(self._name, {})  # type: ignore[no-any-return]


class WindowOperator(Keyed):
    """What both window operators share: contents, the function after them, late records."""

    merges = False

    def __init__(self, spec: OperatorSpec, task: Task) -> None:
        super().__init__(spec, task)
        shape: WindowShape = spec.options["window"]
        self.form, self.inner, self.outer = shape.form, shape.function, shape.window_function
        if isinstance(self.inner, type) and not self.script:
            self.inner = self.inner()
        # whether windows may have state: of their trigger, of their function, or kept since another batch
        self.remembers = task.stateful or shape.plain is None
        self.lateness, self.late_tag, self.all_records = shape.lateness, shape.late_tag, shape.all_records

    def functions(self) -> tuple[Any, ...]:
        return tuple(one for one in (self.inner, self.outer) if one is not None)

    def open(self) -> None:
        super().open()
        self.contents = Contents(self.form, self.inner)
        self.added = self.contents.adding()
        self.at_function = FunctionContext(self)
        self.result = self._function()
        function = self.outer if self.form in ("reduce", "aggregate") else self.inner
        clearing = getattr(function, "clear", None) if self.script else None
        self.clearing: Callable[[Any], Any] | None = clearing if callable(clearing) else None
        # whether anything is to be done with a window that is over
        self.cleans = self.clearing is not None or self.remembers

    def is_late(self, value: Any, stamp: int | None, place: int) -> None:
        """A record that no window took."""
        if stamp is not None and stamp + self.lateness <= self.watermark:
            self.late += 1
            if self.late_tag is not None:
                self.add_aside(self.late_tag, value, stamp, place)

    def give_window(self, window: Any, held: Any, stamp: int | None, place: int) -> None:
        """The result of a window."""
        self.at_function.turn(window)
        self.add_all(self.result(window, held), stamp, place)

    def forget_window(self, window: Any) -> None:
        """A window is over: its function may clear what it kept; the rest goes, in a script only what is empty."""
        if self.clearing is not None:
            self.at_function.turn(window)
            self.clearing(self.at_function)
        if self.remembers:
            self.forget_state(window, always=not self.script)

    def forget_state(self, window: Any, *, always: bool) -> None:
        """Drop the state of one window."""
        name = _own_state(window)
        if always or not self.store.values.get(name, True):
            self.store.values.pop(name, None)

    def _function(self) -> Callable[[Any, Any], Any]:
        if self.form == "aggregate":
            return self._behind(self.inner.get_result)
        if self.form == "reduce":
            return self._behind(lambda held: held)
        calling = self._calling(self.inner)
        return lambda window, held: calling(window, list(held))

    def _behind(self, result: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
        """An incremental result by itself, or given to a window function as its only record. None is no result."""
        calling = None if self.outer is None else self._calling(self.outer)

        def give(window: Any, held: Any) -> Any:
            found = result(held)
            if found is None:
                return ()
            return (found,) if calling is None else calling(window, [found])

        return give

    def _calling(self, function: Any) -> Callable[[Any, list[Any]], Any]:
        store, at = self.store, self.at_function
        if callable(apply := getattr(function, "apply", None)):
            if self.all_records:
                return lambda window, records: apply(window, records)
            return lambda window, records: apply(store.key, window, records)
        process = method(function, "process")
        if self.all_records:
            return lambda window, records: process(at, records)
        return lambda window, records: process(store.key, at, records)


# --- plain event-time windows -----------------------------------------------------------------------------------------


class PlainWindows(WindowOperator):
    """Tumbling, sliding and session windows of event time that fire at their end."""

    def __init__(self, spec: OperatorSpec, task: Task) -> None:
        super().__init__(spec, task)
        shape = spec.options["window"]
        self.kind, self.size, slide, self.offset = shape.plain
        self.step = self.size if self.kind == "tumbling" or slide is None else slide
        self.window_class = shape.window_class or TimeWindow
        self.gap = shape.gap
        self.merges = self.kind == "session"
        self.regular = self.size % self.step == 0
        self.known: dict[int, list[int]] = {}  # the windows of every time in a step, by when the step begins
        # by their start, the keys with windows that end with the input: where nothing lasts, they need no timers
        self.due: defaultdict[int, list[Entry]] = defaultdict(list)
        self.by_key = self.batch or self.grouped is not None  # all windows of a key end with its last record
        self.waits = bool(self.lateness) or task.stateful or (self.merges and not self.by_key)
        if self.merges:
            self.take_one = self._take_session  # type: ignore[method-assign]
            self.fire = self._fire_sessions  # type: ignore[method-assign]

    def turning(self) -> str | None:
        return None if self.merges else "window"

    def open(self) -> None:
        super().open()
        form = self.form if self.form in ("aggregate", "reduce") else ""
        function = self.outer if form else self.inner
        how = "result"
        names: dict[str, Any] = {"function": None, "create": None, "add": None, "get_result": None}
        if function is not None:
            names["function"], arguments = self._called(function)
            how = f"function({', '.join(arguments)})"
        if form == "aggregate":
            inner = self.inner
            names |= {"create": inner.create_accumulator, "add": inner.add, "get_result": inner.get_result}
        elif form == "reduce":
            names["add"] = self.added
        self.turned = (form, how, "timers" if self.waits else "key" if self.by_key else "input")
        self.names = {
            **names,
            "known": self.known,
            "size": self.size,
            "step": self.step,
            "offset": self.offset,
            "WINDOWS": _WINDOWS,
            "due": self.due,
            "at": self.at_function,
        }
        self.endings = Turns(self, "fire")

    def _called(self, function: Any) -> tuple[Any, list[str]]:
        """What is called with the contents of a window, and with which arguments."""
        keys = [] if self.all_records else ["store.key"]
        if callable(apply := getattr(function, "apply", None)):
            return apply, [*keys, "shown", "{elements}"]
        return method(function, "process"), [*keys, "at", "{elements}"]

    def no_time(self) -> None:
        """A record without an event time has no window."""
        raise ValueError(NO_EVENT_TIME) if not self.script else Exception(_NO_TIMESTAMP_IN_SCRIPTS)

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        assert stamp is not None
        store = self.store
        windows = store.values.get(_WINDOWS)
        if windows is None:
            windows = store.values[_WINDOWS] = {}
        begin = stamp - (stamp - self.offset) % self.step
        starts = self.known.get(begin)
        if starts is None:
            starts = self.starts(begin, stamp)
        added, past, taken = self.added, self.watermark - self.size, False
        for start in starts:
            if start - 1 + self.lateness <= past:
                continue
            taken = True
            held = windows.get(start, _NOTHING)
            if held is _NOTHING:
                windows[start] = self.contents.first(value)
                self.set_timers(start)
            else:
                windows[start] = added(held, value)
            if start - 1 <= past:  # its end has passed, and it is still kept
                at = stamp if self.script else start + self.size - 1
                self.give_window(self.window_class(start, start + self.size), windows[start], at, place)
        if not taken:
            if not windows:
                del store.values[_WINDOWS]
            self.is_late(value, stamp, place)

    def starts(self, begin: int, stamp: int) -> list[int]:
        """The windows of a time, the latest first."""
        if stamp == NO_TIMESTAMP:
            self.no_time()
        found = list(range(begin, stamp - self.size, -self.step))
        if self.regular:
            if len(self.known) >= _MOST_KNOWN:
                self.known.clear()
            self.known[begin] = found
        return found

    def set_timers(self, start: int) -> None:
        """The current key has a new window."""
        if not self.waits:
            assert self.store.current is not None
            if not self.by_key:
                self.due[start].append(self.store.current)
            return
        end = start + self.size - 1
        if end > self.watermark:
            self.set_timer("event", end, start)
        if self.lateness:
            self.set_timer("event", min(end + self.lateness, END_OF_TIME), start)

    def fire(self, domain: Domain, when: int, window: Any) -> None:
        values = self.store.values
        windows = values.get(_WINDOWS)
        if windows is None or window not in windows:
            return
        end = window + self.size - 1
        shown = self.window_class(window, window + self.size)
        if when == end:
            self.give_window(shown, windows[window], end, self.place)
        if when == min(end + self.lateness, END_OF_TIME):
            del windows[window]
            if not windows:
                del values[_WINDOWS]
            self.forget_window(shown)

    def ring(self, domain: Domain, limit: int) -> None:
        if self.due and domain == "event":
            with self.ringing():
                last = limit - self.size + 1
                for start in sorted(start for start in self.due if start <= last):
                    self._end(start, self.due.pop(start))
        super().ring(domain, limit)

    def _end(self, start: int, entries: list[Entry]) -> None:
        """A window is over, for every key that has it."""
        shown = self.window_class(start, start + self.size)
        rows, end = [], start + self.size - 1
        for entry in sorted(entries, key=Entry.order) if len(entries) > 1 else entries:
            windows = entry.values[_WINDOWS]
            rows.append((entry, windows.pop(start), end, self.place, shown))
            if not windows:
                del entry.values[_WINDOWS]
        self.endings.run(iter(rows), len(rows))

    def end_windows(self) -> None:
        entry, shown, place, size = self.store.current, self.window_class, self.place, self.size
        if entry is None or self.waits or not self.by_key or not (windows := entry.values.pop(_WINDOWS, None)):
            return
        if self.merges:
            rows = [(entry, held, end - 1, place, shown(start, end)) for start, end, held, _ in windows]
        else:
            rows = [(entry, windows[at], at + size - 1, place, shown(at, at + size)) for at in sorted(windows)]
        with self.ringing():
            self.endings.run(iter(rows), len(rows))

    # --- sessions: [start, end, contents, whether it fired] in the order of time, of which no two touch

    def _take_session(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        if stamp is None or stamp == NO_TIMESTAMP:
            self.no_time()
        assert stamp is not None
        values, end = self.store.values, stamp + (self.size if self.gap is None else self._gap(value))
        sessions = values.get(_WINDOWS)
        if sessions is None:
            sessions = values[_WINDOWS] = []
        last = len(sessions)
        if last and sessions[-1][0] <= stamp <= sessions[-1][1] and self.watermark < sessions[-1][1] - 1:
            session = sessions[-1]  # the latest one goes on
            session[2] = self.added(session[2], value)
            if end > session[1]:
                session[1] = end
            return
        if last and sessions[-1][0] > end:
            last = bisect_right(sessions, end, key=itemgetter(0))
        first = last
        while first and sessions[first - 1][1] >= stamp:
            first -= 1
        if first == last:
            session = [stamp, end, _NOTHING, False]
        else:
            session = sessions[first]
            if last - first > 1:
                session = self._joined(sessions[first:last])
            session = [min(session[0], stamp), max(session[1], end), session[2], False]
        if min(session[1] - 1 + self.lateness, END_OF_TIME) <= self.watermark:
            sessions[first:last] = []
            if not sessions:
                del values[_WINDOWS]
            self.is_late(value, stamp, place)
            return
        session[2] = self.contents.first(value) if session[2] is _NOTHING else self.added(session[2], value)
        fresh = last - first != 1 or sessions[first][1] - 1 <= self.watermark
        sessions[first:last] = [session]
        if session[1] - 1 <= self.watermark:  # its end has passed, and it is still kept
            at = stamp if self.script else session[1] - 1
            self.give_window(self.window_class(session[0], session[1]), session[2], at, place)
            session[3] = True
            self.set_timer("event", min(session[1] - 1 + self.lateness, END_OF_TIME))
        elif (
            fresh and self.waits
        ):  # the timer of a session that grew is still set, and is set again when it finds the session longer
            self.set_timer("event", session[1] - 1)

    def _gap(self, value: Any) -> int:
        assert self.gap is not None
        gap = int(self.gap(value))
        if gap <= 0:
            if self.script:
                raise Exception("Dynamic session time gap must satisfy 0 < gap")
            raise ValueError(f"the gap of a session must be positive, found {gap}")
        return gap

    def _joined(self, parts: list[list[Any]]) -> list[Any]:
        return [parts[0][0], parts[-1][1], self.contents.together([part[2] for part in parts])]

    def _fire_sessions(self, domain: Domain, when: int, window: Any) -> None:
        values = self.store.values
        over = 0
        for session in values.get(_WINDOWS, ()):
            end = session[1] - 1
            if end > when:
                self.set_timer("event", end)
                break
            shown = self.window_class(session[0], session[1])
            if not session[3]:
                self.give_window(shown, session[2], end, self.place)
                session[3] = True
                if self.lateness:
                    self.set_timer("event", min(end + self.lateness, END_OF_TIME))
            if min(end + self.lateness, END_OF_TIME) <= when:
                over += 1
                self.forget_window(shown)
        if over:
            del values[_WINDOWS][:over]
            if not values[_WINDOWS]:
                del values[_WINDOWS]


_NOTHING: Any = object()
_NO_TIMESTAMP_IN_SCRIPTS = (
    "Record has Java Long.MIN_VALUE timestamp (= no timestamp marker). Is the time characteristic set to "
    "'ProcessingTime', or did you forget to call 'data_stream.assign_timestamps_and_watermarks(...)'?"
)


# --- any assigner, any trigger ----------------------------------------------------------------------------------------


class AssignerContext:
    """What an assigner can ask."""

    def __init__(self, operator: Keyed) -> None:
        self._operator, self._runtime = operator, operator.runtime()

    def get_current_processing_time(self) -> int:
        return self._operator.task.processing_time()

    def get_runtime_context(self) -> Runtime:
        return self._runtime

    def values(self) -> dict[Any, Any]:
        """The current key's own state."""
        return self._operator.store.values


class TriggerContext:
    """What a trigger can ask and set, for one window of the current key."""

    def __init__(self, operator: Windows, trigger: Any) -> None:
        self._operator, self._trigger = operator, trigger
        self.window: Any = None
        self._merging: list[Any] = []

    # --- what triggers call

    def get_current_processing_time(self) -> int:
        return self._operator.task.processing_time()

    def get_metric_group(self) -> Metrics:
        return Metrics()

    def get_current_watermark(self) -> int:
        return self._operator.watermark

    def register_processing_time_timer(self, time: int) -> None:
        self._operator.set_timer("processing", int(time), self.window)

    def register_event_time_timer(self, time: int) -> None:
        self._operator.set_timer("event", int(time), self.window)

    def delete_processing_time_timer(self, time: int) -> None:
        self._operator.drop_timer("processing", int(time), self.window)

    def delete_event_time_timer(self, time: int) -> None:
        self._operator.drop_timer("event", int(time), self.window)

    def get_partitioned_state(self, state_descriptor: Any) -> Any:
        return self._state(state_descriptor, self.window)

    def merge_partitioned_state(self, state_descriptor: Any) -> None:
        """The state of the windows that become one, in the new one."""
        into = self._state(state_descriptor, self.window)
        if not hasattr(into, "add"):
            if self._operator.script:
                raise Exception("The given state descriptor does not refer to a mergeable state (MergingState)")
            raise RuntimeError("only states that values are added to can be merged: list, reducing, aggregating")
        for window in self._merging:
            if window == self.window:
                continue
            state = self._state(state_descriptor, window)
            kept = state.get()
            for one in kept if hasattr(into, "add_all") else () if kept is None else (kept,):
                into.add(one)
            state.clear()

    # --- what the operator calls

    def on_element(self, value: Any, time: int) -> Any:
        return self._trigger.on_element(value, time, self.window, self)

    def on_time(self, domain: Domain, when: int) -> Any:
        if domain == "event":
            return self._trigger.on_event_time(when, self.window, self)
        return self._trigger.on_processing_time(when, self.window, self)

    def on_merge(self, windows: list[Any]) -> None:
        self._merging = windows
        self._trigger.on_merge(self.window, self)

    def clear(self) -> None:
        self._trigger.clear(self.window, self)

    def _state(self, descriptor: Any, window: Any) -> Any:
        return state_of(Runtime(self._operator, OfWindow(self._operator, window)), descriptor)


class Windows(WindowOperator):
    """Windows of every key, and a trigger that is asked at every record and timer.

    A window's contents lie under the window it began as, since sessions grow; timers belong to the window as it is now.
    """

    def __init__(self, spec: OperatorSpec, task: Task) -> None:
        super().__init__(spec, task)
        shape = spec.options["window"]
        self.assigner, self.trigger = shape.assigner, shape.trigger
        self.touch = bool(getattr(self.assigner, "touch", False))
        self.merges = self.touch or hasattr(self.assigner, "merge_windows")
        self.event_time = bool(self.assigner.is_event_time())

    def open(self) -> None:
        super().open()
        self.at_assigner = AssignerContext(self)
        self.at_trigger = TriggerContext(self, self.trigger)

    # --- records

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        time = NO_TIMESTAMP if stamp is None else stamp
        self.stamp, self.place, taken = stamp, place, False
        for window in self.assigner.assign_windows(value, time, self.at_assigner):
            taken |= self._add_to(window, value, time)
        self._tidy()
        if not taken and self.event_time:
            self.is_late(value, time, place)

    def _add_to(self, window: Any, value: Any, time: int) -> bool:
        """Put a record into a window. False where the window is over."""
        if self.merges:
            window = self._merged(window)
        if self.event_time and self.cleanup_time(window) <= self.watermark:
            if self.merges:
                self._homes().pop(window, None)
            return False
        home = self._home(window)
        contents = self._contents()
        held = contents.get(home)
        contents[home] = self.contents.first(value) if held is None else self.added(held, value)
        self.at_trigger.window = window
        self._follow(self.at_trigger.on_element(value, time), window, home)
        self._at_cleanup(window, self.set_timer)
        return True

    def _contents(self) -> dict[Any, Any]:
        return self.store.values.setdefault(_WINDOWS, {})  # type: ignore[no-any-return]

    def _tidy(self) -> None:
        """What is empty is not kept."""
        values = self.store.values
        for name in (_WINDOWS, _HOMES):
            if not values.get(name, True):
                del values[name]

    # --- merging windows

    def _homes(self) -> dict[Any, Any]:
        """The windows of the key, and the window under which each one's contents lie."""
        return self.store.values.setdefault(_HOMES, {})  # type: ignore[no-any-return]

    def _home(self, window: Any) -> Any:
        return self._homes().get(window) if self.merges else window

    def _merged(self, new: Any) -> Any:
        """The window that a new one makes together with those it meets."""
        homes = self._homes()
        result, met = new, False
        for whole, parts in self._merges(list(homes), new):
            old = [part for part in parts if part in homes]
            if new in parts:
                result, met = whole, True
            under = [homes.pop(part) for part in old]
            if not under:
                homes[whole] = whole
                continue
            homes[whole] = under[0]
            if old != [whole]:
                self._join(whole, old, under)
        if not met:
            homes.setdefault(new, new)
        return result

    def _merges(self, windows: list[Any], new: Any) -> list[tuple[Any, list[Any]]]:
        if self.touch:
            met = [one for one in windows if one.start <= new.end and new.start <= one.end]
            met.sort(key=lambda one: one.start)
            whole = TimeWindow(min(one.start for one in (*met, new)), max(one.end for one in (*met, new)))
            return [(whole, met if new in met else [*met, new])]
        found = _Merges()
        self.assigner.merge_windows([*windows, new], found)
        return found.found

    def _join(self, whole: Any, parts: list[Any], under: list[Any]) -> None:
        self.at_trigger.window = whole
        self.at_trigger.on_merge(parts)
        for part in parts:
            self.at_trigger.window = part
            self.at_trigger.clear()
            self.forget_state(part, always=False)
            self._at_cleanup(part, self.drop_timer)
        contents = self._contents()
        held = [contents.pop(home) for home in under if contents.get(home) is not None]
        if held:
            contents[under[0]] = self.contents.together(held)

    # --- time

    def cleanup_time(self, window: Any) -> int:
        """When nothing of a window is kept any more."""
        last = int(window.max_timestamp())
        return min(last + self.lateness, END_OF_TIME) if self.event_time else last

    def _at_cleanup(self, window: Any, call: Callable[[Domain, int, Any], None]) -> None:
        when = self.cleanup_time(window)
        if when != END_OF_TIME:
            call("event" if self.event_time else "processing", when, window)

    def fire(self, domain: Domain, when: int, window: Any) -> None:
        home = self._home(window)
        if home is not None:
            self.stamp = when
            self.at_trigger.window = window
            self._follow(self.at_trigger.on_time(domain, when), window, home)
            if self.event_time == (domain == "event") and when == self.cleanup_time(window):
                self._clear(window, home)
        self._tidy()

    def _clear(self, window: Any, home: Any) -> None:
        self._contents().pop(home, None)
        self.at_trigger.window = window
        self.at_trigger.clear()
        self.forget_window(window)
        if self.merges:
            self._homes().pop(window, None)

    # --- results

    def _follow(self, result: Any, window: Any, home: Any) -> None:
        """Do what a trigger decided."""
        contents = self._contents()
        if result.is_fire() and contents.get(home) is not None:
            timed = not self.script and isinstance(window, TimeWindow)
            self.give_window(window, contents[home], window.end - 1 if timed else self.stamp, self.place)
        if result.is_purge():
            contents.pop(home, None)


class _Merges:
    """Collects from an assigner which windows become one."""

    def __init__(self) -> None:
        self.found: list[tuple[Any, list[Any]]] = []

    def merge(self, to_be_merged: Iterable[Any], merge_result: Any) -> None:
        """These became this one."""
        self.found.append((merge_result, list(to_be_merged)))
