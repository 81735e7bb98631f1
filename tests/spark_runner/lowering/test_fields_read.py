"""Which fields a function reads: certain where it is told, and all where a record goes anywhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planner import KeyedCoProcessFunction, KeyedProcessFunction, ListStateDescriptor, Types, ValueStateDescriptor
from spark_runner.lowering.fields_read import fields_read

NAMES = ("id", "count", "text", "time")
SEEN: list[Any] = []


def by_name(r: Any) -> Any:
    return r.id, r["text"], r[-1]


def never(r: Any) -> int:
    return 1


def compared(r: Any) -> Any:
    return None if r is None else r.id


def branches(r: Any) -> Any:
    if r:
        other = r
        return [n for n in range(other.id) if n < r.time]
    return ()


def whole(r: Any) -> Any:
    return r


def called(r: Any) -> Any:
    return len(r)


def method_of_tuple(r: Any) -> Any:
    return r.count(1)


def unknown(r: Any) -> Any:
    return r.nothing


def sliced(r: Any) -> Any:
    return r[1:]


def computed(r: Any) -> Any:
    return r["i" + "d"]


def kept_outside(r: Any) -> Any:
    global SEEN
    SEEN = r
    return r.id


def in_closure(r: Any) -> Any:
    return (lambda: r.id)()


def sees_locals(r: Any) -> Any:
    return locals()["r"].text, r.id


def matched(r: Any) -> Any:
    match r:
        case (one, *_):
            return one


def both_or(r: Any) -> Any:
    return (r or SEEN).id


def appended(r: Any) -> Any:
    SEEN.append(r)


def walrus(r: Any) -> Any:
    return (one := r).id + one.time


def any_number(*r: Any) -> Any:
    return r[0].id


def unpacked(r: Any) -> Any:
    first, *_ = r
    return first


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (by_name, {"id", "text", "time"}),
        (never, set()),
        (compared, {"id"}),
        (branches, {"id", "time"}),
        (lambda r: f"{r.text} {r[1]}", {"text", "count"}),
        *(
            (function, None)
            for function in (
                *(whole, called, method_of_tuple, unknown, sliced, computed, kept_outside, in_closure, sees_locals),
                *(matched, both_or, appended, walrus, any_number, unpacked, len, str.upper),
            )
        ),
    ],
)
def test_functions(function: Callable[[Any], Any], expected: set[str] | None) -> None:
    assert fields_read(function, ("map",), [NAMES]) == (None if expected is None else frozenset(expected),)


def test_positions_alone() -> None:
    assert fields_read(lambda r: r[1], ("map",), [("f0", "f1")]) == (frozenset({"f1"}),)
    assert fields_read(lambda r: r.f1, ("map",), [("f0", "f1")]) == (None,)
    assert fields_read(lambda r: r[1], ("map",), [("value",)]) == (None,)


class Kept(KeyedCoProcessFunction):
    def open(self, runtime_context: Any) -> None:
        self.one = runtime_context.get_state(ValueStateDescriptor("one", Types.LONG()))
        self.many = runtime_context.get_list_state(ListStateDescriptor("many", Types.LONG()))

    def process_element1(self, value: Any, ctx: Any) -> Any:
        if self.one.value() is None:
            self.one.update(value)
        self._look(value)
        yield from self._given()

    def process_element2(self, value: Any, ctx: Any) -> Any:
        kept = self.one.value()
        if kept is not None and kept.id > 1:
            self.many.add(value)

    def _look(self, record: Any) -> Any:
        return record["count"]

    def _given(self) -> Any:
        for one in self.many.get():
            yield one.text

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        yield self.one.value().time


class Gives(Kept):
    def _given(self) -> Any:
        yield from self.many.get()


class GivesList(Kept):
    def _given(self) -> Any:
        yield list(self.many.get())


class GivesState(Kept):
    def _given(self) -> Any:
        yield str(self.one)


class HandsItself(Kept):
    def _given(self) -> Any:
        yield repr(self)


class Overrides(Kept):
    _look = staticmethod(len)  # type: ignore[assignment]


class Remembers(KeyedProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        self.last = value
        yield value.id


class MadeWhenOpened(KeyedProcessFunction):
    def open(self, runtime_context: Any) -> None:
        self.process_element = lambda value, ctx: [value]  # type: ignore[method-assign]

    def process_element(self, value: Any, ctx: Any) -> Any:
        yield value.id


class NotAState(KeyedProcessFunction):
    def open(self, runtime_context: Any) -> None:
        self.kept = set[Any]()

    def process_element(self, value: Any, ctx: Any) -> Any:
        self.kept.add(value)
        yield value.id


def _two(target: Any) -> Any:
    return fields_read(target, ("process_element1", "process_element2"), [NAMES, NAMES])


def test_what_is_kept_in_states_is_followed() -> None:
    assert _two(Kept()) == _two(Kept) == (frozenset({"id", "count", "time"}), frozenset({"text"}))
    assert _two(Gives()) == (frozenset({"id", "count", "time"}), None)
    assert _two(GivesList()) == (frozenset({"id", "count", "time"}), None)
    assert _two(GivesState())[0] is None
    assert _two(HandsItself()) == (None, None)
    assert _two(Overrides()) == (None, None)


@pytest.mark.parametrize("target", [Remembers(), MadeWhenOpened(), NotAState(), object()])
def test_objects_that_are_not_followed(target: Any) -> None:
    assert fields_read(target, ("process_element",), [NAMES]) == (None,)
