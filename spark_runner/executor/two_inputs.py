"""Operators of two inputs, and broadcast state. Runs on workers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import repeat
from typing import Any

from spark_runner.executor.contexts import Context, state_of
from spark_runner.executor.failures import RAISED
from spark_runner.executor.keyed import KeyedProcess
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.operators import Call, Operator, Part, Process, Task, pair_row
from spark_runner.executor.state import END_OF_TIME, MapState, Values

__all__ = ["BroadcastProcess", "CoProcess", "KeyedBroadcastProcess", "KeyedCoProcess"]

_RULES = "broadcast"


def calls_of(operator: Operator) -> tuple[Call, ...]:
    """What each input's records are given to, with a context: the methods of an object, or two callables."""
    function = operator.function
    if isinstance(function, tuple | list):
        return tuple(_called(operator, call) for call in function)
    return tuple(_taking(operator, number) for number in (1, 2))


def _called(operator: Operator, call: Callable[..., Any]) -> Call:
    """One of two plain callables."""
    if operator.spec.role == "co_map":
        return lambda value, _: (call(value),)
    return (lambda value, _: call(value)) if operator.spec.role == "co_flat_map" else call


def _taking(operator: Operator, number: int) -> Call:
    function, script = operator.function, operator.script
    if callable(process := getattr(function, f"process_element{number}", None)):
        return process  # type: ignore[no-any-return]
    if callable(flat_map := getattr(function, f"flat_map{number}", None)):
        return lambda value, _: flat_map(value)
    one = getattr(function, f"map{number}", None)
    if not callable(one):
        return _refusing(function, number)
    if not script:
        return lambda value, _: (one(value),)
    return lambda value, _: () if (made := one(value)) is None else (made,)  # as in PyFlink, None is no record


def _refusing(function: Any, number: int) -> Call:
    def refuse(value: Any, _: Any) -> Any:
        raise TypeError(f"{type(function).__name__} has no method for its input {number}")

    return refuse


class CoProcess(Process):
    """Two inputs, not both keyed. In a script, an input that is keyed alone gives its keys too."""

    def calling(self) -> tuple[Call, ...]:
        calls = calls_of(self)
        row, paired = self.spec.options.get("paired") or (None, ())
        return tuple(_pairing(call, row) if side in paired else call for side, call in enumerate(calls))


def _pairing(call: Call, row: Any) -> Call:
    """Takes pairs of key and record as the rows that PyFlink makes of them."""
    return lambda value, context: call(pair_row(row, value), context)


class KeyedCoProcess(KeyedProcess):
    """Two keyed inputs that share the key's state."""

    def calling(self) -> tuple[Call, ...]:
        return calls_of(self)


# --- broadcast state --------------------------------------------------------------------------------------------------


class ReadOnly(MapState):
    """Broadcast state as the other input sees it."""

    def __init__(self, store: Any, name: str, script: bool) -> None:
        super().__init__(store, name)
        self._script = script

    def __getattribute__(self, name: str) -> Any:
        if name in ("put", "put_all", "remove", "clear"):
            if object.__getattribute__(self, "_script"):
                raise AttributeError(f"broadcast state can only be read in process_element: {name}()")
            return _refuse
        return object.__getattribute__(self, name)

    def __setitem__(self, key: Any, value: Any) -> None:
        _refuse()

    def __delitem__(self, key: Any) -> None:
        _refuse()


def _refuse(*_: Any) -> None:
    raise RuntimeError("broadcast state can be changed in process_broadcast_element() alone")


class BroadcastContext(Context):
    """What the function gets beside a record of either input."""

    def __init__(self, operator: Any, rules: Values, writes: bool) -> None:
        super().__init__(operator)
        self._rules, self._writes = rules, writes

    def get_broadcast_state(self, descriptor: Any) -> MapState:
        """The rules of one descriptor."""
        name = descriptor.name
        return MapState(self._rules, name) if self._writes else ReadOnly(self._rules, name, self._script)

    def apply_to_keyed_state(self, descriptor: Any, function: Any) -> None:
        """Call a function with every key that has this state, and the state."""
        self._operator.apply_to_keys(descriptor, function)  # type: ignore[attr-defined]

    def get_current_key(self) -> Any:
        return None if self._writes and not self._script else super().get_current_key()


class _Rules:
    """The broadcast states of one subtask: only broadcast records change them. They last from batch to batch."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self.values = Values(copy.copy(operator.task.kept(operator.spec.id, _RULES, {})))

    def save(self) -> None:
        """Keep them for the next batch."""
        self._operator.task.keep(self._operator.spec.id, _RULES, self.values.values, default={})


class BroadcastProcess(Operator):
    """Records, and broadcast records that change what all subtasks know. In batch mode the latter come first."""

    heeds_time = True

    def __init__(self, spec: OperatorSpec, task: Task) -> None:
        super().__init__(spec, task)
        self.rules = _Rules(self)
        self.reading = BroadcastContext(self, self.rules.values, writes=False)
        self.writing = BroadcastContext(self, self.rules.values, writes=True)
        self.batch = bool(spec.options.get("batch"))
        self.held: list[tuple[Any, int | None]] = []

    def take(self, part: Part) -> None:
        sides: Any = repeat(0) if part.sides is None else part.sides
        value = None
        try:
            for (value, stamp, place), side in zip(part.rows(), sides):  # noqa: B905
                if side == 1:
                    self.writing.stamp = stamp
                    self.add_all(self.function.process_broadcast_element(value, self.writing), stamp, place)
                elif self.batch:
                    self.held.append((value, stamp))
                else:
                    self._read(value, stamp, place)
        except RAISED as error:
            raise self.failed(error, value) from None

    def _read(self, value: Any, stamp: int | None, place: int) -> None:
        self.reading.stamp = stamp
        self.add_all(self.function.process_element(value, self.reading), stamp, place)

    def advance(self, watermark: int) -> None:
        if watermark == END_OF_TIME:
            held, self.held, value = self.held, [], None
            try:
                for value, stamp in held:  # where the input ended: the end of time comes after them, for readers too
                    self._read(value, stamp, self.place)
            except RAISED as error:
                raise self.failed(error, value) from None
        super().advance(watermark)

    def save(self) -> None:
        super().save()
        self.rules.save()

    def apply_to_keys(self, descriptor: Any, function: Any) -> None:
        """There are no keys."""
        raise RuntimeError("apply_to_keyed_state needs a keyed stream: call key_by() before this operator")


class KeyedBroadcastProcess(KeyedProcess):
    """Keyed records, and broadcast records that change what all subtasks know."""

    def __init__(self, spec: OperatorSpec, task: Task) -> None:
        super().__init__(spec, task)
        self.rules = _Rules(self)
        self.writing = BroadcastContext(self, self.rules.values, writes=True)

    def open(self) -> None:
        super().open()
        self.context = BroadcastContext(self, self.rules.values, writes=False)

    def calling(self) -> tuple[Call, ...]:
        return self.function.process_element, self._written

    def _written(self, value: Any, context: Any) -> Any:
        self.writing.stamp = context.stamp
        return self.function.process_broadcast_element(value, self.writing)

    def take(self, part: Part) -> None:
        """Broadcast records have no key, and are never held back."""
        if part.sides is None or 1 not in part.sides:
            super().take(part)
            return
        first = 0
        for at, side in enumerate(part.sides):
            if side == 1:
                if at > first:
                    super().take(part.cut(first, at))
                self._take_rule(part.cut(at, at + 1))
                first = at + 1
        if first < len(part.values):
            super().take(part.cut(first, len(part.values)))

    def _take_rule(self, part: Part) -> None:
        for value, stamp, place in part.rows():
            self.context.stamp = stamp
            try:
                self.add_all(self._written(value, self.context), stamp, place)
            except RAISED as error:
                raise self.failed(error, value) from None

    def save(self) -> None:
        super().save()
        self.rules.save()

    def apply_to_keys(self, descriptor: Any, function: Any) -> None:
        """Every key that has the state, in one order whatever the cut into batches."""
        state = state_of(self.runtime(), descriptor)
        for entry in self.store.all_entries():
            if descriptor.name in entry.values:
                self.store.take(entry)
                function(entry.key, state)
