"""PyFlink's operators of two inputs, and broadcast state. Runs on workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spark_runner.executor.pyflink.contexts import KeyedContext, PlainContext
from spark_runner.executor.pyflink.keyed import KeyedProcess
from spark_runner.executor.pyflink.operators import PyOperator, pair_row
from spark_runner.executor.state import END_OF_TIME, KeyedState, MapState, descriptor_name
from spark_runner.executor.streaming.layout import OperatorSpec

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["CoProcess", "KeyedCoProcess"]


def calls_of(function: Any, context: Any) -> tuple[Callable[[Any], Any], ...]:
    """What each input's records are given to. A co-map that gives None gives nothing, as in PyFlink."""
    return tuple(_taking(function, context, number) for number in (1, 2))


def _taking(function: Any, context: Any, number: int) -> Callable[[Any], Any]:
    if callable(process := getattr(function, f"process_element{number}", None)):
        return lambda value: process(value, context)
    if callable(flat_map := getattr(function, f"flat_map{number}", None)):
        return lambda value: flat_map(value) or ()
    one = getattr(function, f"map{number}")
    return lambda value: () if (made := one(value)) is None else (made,)


class CoProcess(PyOperator):
    """Two inputs, not both keyed."""

    def open(self) -> None:
        super().open()
        self.at = PlainContext(self)
        self.calls = calls_of(self.function, self.at)
        paired: tuple[Any, tuple[int, ...]] = self.spec.options.get("paired") or (None, ())
        self.row, self.paired = paired

    def push_from(self, position: int, value: Any, stamp: int | None) -> None:
        """A record of one of the inputs; one that is keyed alone gives its keys too."""
        if position in self.paired:
            value = pair_row(self.row, value)
        self.at.stamp = stamp
        self.give_all(self.calls[position](value), stamp)


class KeyedCoProcess(KeyedProcess):
    """Two keyed inputs that share the key's state."""

    def open(self) -> None:
        super().open()
        self.calls = calls_of(self.function, self.context)

    def call(self, position: int, value: Any) -> Any:
        return self.calls[position](value)


# --- broadcast state --------------------------------------------------------------------------------------------------


class ReadOnly:
    """Broadcast state where it can only be read."""

    def __init__(self, state: MapState) -> None:
        self._state = state

    def __getattr__(self, name: str) -> Any:
        if name in ("put", "put_all", "remove", "clear"):
            raise AttributeError(f"broadcast state can only be read in process_element: {name}()")
        return getattr(self._state, name)

    def __getitem__(self, key: Any) -> Any:
        return self._state.get(key)

    def __contains__(self, key: Any) -> bool:
        return self._state.contains(key)

    def __iter__(self) -> Any:
        return iter(self._state)


class Broadcast:
    """The broadcast state of one subtask, by name; it lasts from batch to batch of a stream."""

    def __init__(self, operator: Any) -> None:
        self._operator = operator
        self._kept = KeyedState()
        self._kept.values.update(operator.task.kept(operator.spec.id, "broadcast", {}))

    def save(self) -> None:
        """Keep it for the next batch."""
        self._operator.task.keep(self._operator.spec.id, "broadcast", self._kept.values, default={})

    def writable(self, descriptor: Any) -> MapState:
        return MapState(self._kept, descriptor_name(descriptor))

    def readable(self, descriptor: Any) -> ReadOnly:
        return ReadOnly(self.writable(descriptor))


class BroadcastProcess(PyOperator):
    """Records, and broadcast records that change what all subtasks know."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        self.state = state = Broadcast(self)
        self.reading, self.writing = PlainContext(self), PlainContext(self)
        self.reading.get_broadcast_state = state.readable  # type: ignore[attr-defined]
        self.writing.get_broadcast_state = state.writable  # type: ignore[attr-defined]
        self.held: list[tuple[Any, int | None]] = []

    def save(self) -> None:
        super().save()
        self.state.save()

    def push_from(self, position: int, value: Any, stamp: int | None) -> None:
        """A record of one of the inputs; in batch mode the broadcast ones come first."""
        if position == 1:
            self.writing.stamp = stamp
            self.give_all(self.function.process_broadcast_element(value, self.writing), stamp)
        elif self.spec.options.get("batch"):
            self.held.append((value, stamp))
        else:
            self.take(value, stamp)

    def take(self, value: Any, stamp: int | None) -> None:
        """A record that is not broadcast."""
        self.reading.stamp = stamp
        self.give_all(self.function.process_element(value, self.reading), stamp)

    def advance(self, watermark: int) -> None:
        if watermark == END_OF_TIME:
            held, self.held = self.held, []
            for value, stamp in held:
                self.take(value, stamp)
        super().advance(watermark)


class KeyedBroadcastProcess(KeyedProcess):
    """Keyed records, and broadcast records that change what all subtasks know."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        self.state = state = Broadcast(self)
        self.writing = KeyedContext(self)
        self.writing.get_broadcast_state = state.writable  # type: ignore[attr-defined]
        self.context.get_broadcast_state = state.readable  # type: ignore[attr-defined]

    def save(self) -> None:
        super().save()
        self.state.save()

    def push_from(self, position: int, value: Any, stamp: int | None) -> None:
        if position == 0:
            super().push_from(position, value, stamp)
            return
        self.writing.stamp = stamp
        self.give_all(self.function.process_broadcast_element(value, self.writing), stamp)
