"""What a window holds: an accumulator, or its records; and states of one window alone. Runs on workers."""

from __future__ import annotations

from functools import reduce
from typing import Any

from spark_runner.executor.roles.plain import method

__all__ = ["Contents", "NoWindowState", "OneWindow", "drop_states"]


class Contents:
    """How records become a window's contents and its contents a result: a list of one thing held, or an empty list."""

    def __init__(self, form: str, function: Any) -> None:
        self.form, self.function = form, function

    def added(self, held: list[Any], value: Any) -> list[Any]:
        """The contents with one record more."""
        if self.form == "reduce":
            return [method(self.function, "reduce")(held[0], value) if held else value]
        if self.form == "aggregate":
            return [self.function.add(value, held[0] if held else self.function.create_accumulator())]
        if held:
            held[0].append(value)
            return held
        return [[value]]

    def together(self, parts: list[list[Any]]) -> list[Any]:
        """The contents of several windows in one."""
        held = [part[0] for part in parts if part]
        return [reduce(self._joined, held)] if held else []

    def _joined(self, one: Any, other: Any) -> Any:
        if self.form == "reduce":
            return method(self.function, "reduce")(one, other)
        return self.function.merge(one, other) if self.form == "aggregate" else [*one, *other]

    def result(self, held: list[Any]) -> Any:
        """What an accumulator stands for."""
        return held[0] if self.form == "reduce" else self.function.get_result(held[0])

    def process(self, key: Any, at: Any, elements: list[Any]) -> Any:
        """What a function of all records makes of them."""
        return method(self.function, "process")(key, at, elements)


def drop_states(values: dict[str, Any], window: tuple[int, ...]) -> None:
    """Forget the states of one window."""
    prefix = _prefix(window)
    for name in [name for name in values if name.startswith(prefix)]:
        del values[name]


def _prefix(window: tuple[int, ...]) -> str:
    return "\0" + ",".join(map(str, window)) + ","


class NoWindowState:
    """Sessions merge, and state of one window cannot."""

    @property
    def values(self) -> Any:
        raise RuntimeError("state of a window cannot be kept where windows merge: use global_state() in sessions")


class OneWindow:
    """The current key's state for one window alone."""

    def __init__(self, store: Any, window: tuple[int, ...]) -> None:
        self._store, self._prefix = store, _prefix(window)

    @property
    def key(self) -> Any:
        return self._store.key

    @property
    def values(self) -> Any:
        return _Prefixed(self._store.values, self._prefix)


class _Prefixed:
    """A part of a dict, as far as state objects use one."""

    def __init__(self, values: dict[str, Any], prefix: str) -> None:
        self._values, self._prefix = values, prefix

    def get(self, name: str, default: Any = None) -> Any:
        return self._values.get(self._prefix + name, default)

    def pop(self, name: str, default: Any = None) -> Any:
        return self._values.pop(self._prefix + name, default)

    def setdefault(self, name: str, default: Any) -> Any:
        return self._values.setdefault(self._prefix + name, default)

    def __getitem__(self, name: str) -> Any:
        return self._values[self._prefix + name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._values[self._prefix + name] = value

    def __contains__(self, name: str) -> bool:
        return self._prefix + name in self._values
