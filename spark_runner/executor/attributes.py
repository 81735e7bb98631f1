"""What a function object remembers by itself, in its attributes, carried from batch to batch. Standard library only.

In Flink a function object lives as long as its task, so its attributes last from record to record. Here a worker makes
a new one for every batch: what changed since open() is kept by value, and what cannot be pickled (a connection) is made
anew by open().
"""

from __future__ import annotations

import pickle
from types import FunctionType
from typing import Any

from spark_runner.executor.records import pickled

__all__ = ["Attributes"]

_OURS = "spark_runner."  # state handles and contexts: open() gives new ones


class Attributes:
    """The attributes of one function object, compared with what they were after open()."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._before = {name: _bytes(value) for name, value in self._plain()}

    @classmethod
    def of(cls, function: Any) -> Attributes | None:
        """The attributes of an object; a plain function has none."""
        has_own = isinstance(getattr(function, "__dict__", None), dict) and not isinstance(function, FunctionType)
        return cls(function) if has_own else None

    def restore(self, changed: dict[str, bytes]) -> None:
        """Give the function what it remembered at the end of the last batch."""
        for name, written in changed.items():
            setattr(self._function, name, pickle.loads(written))

    def changed(self) -> dict[str, bytes]:
        """What differs now from what open() left, pickled."""
        found = {}
        for name, value in self._plain():
            written = _bytes(value)
            if written is not None and written != self._before.get(name):
                found[name] = written
        return found

    def _plain(self) -> list[tuple[str, Any]]:
        return [
            (name, value)
            for name, value in vars(self._function).items()
            if not type(value).__module__.startswith(_OURS)
        ]


def _bytes(value: Any) -> bytes | None:
    try:
        return pickled(value)
    except Exception:  # a lock, a socket: open() makes it again
        return None
