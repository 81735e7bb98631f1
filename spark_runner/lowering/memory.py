"""Whether a function object may remember something between records in its attributes, as far as its code tells.

A worker makes a new object for every batch. One that remembers is run where its attributes are kept; one that surely
does not can run right after a source, where nothing is kept and nothing is moved. In doubt it remembers.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

__all__ = ["may_remember"]

_FUNCTIONS = (FunctionType, BuiltinFunctionType, partial)
_UNCHANGING = (
    str, bytes, int, float, complex, bool, type(None), frozenset, range, date, time, timedelta, Decimal, Enum, type,
    re.Pattern, *_FUNCTIONS,
)  # fmt: skip
_BEGINNING = frozenset({"__init__", "__new__", "close"})  # before the first record, or after the last
_WRITES = frozenset({"STORE_ATTR", "DELETE_ATTR"})


def may_remember(target: Any) -> bool:
    """Whether calls of a job's function may depend on earlier ones through its attributes."""
    if target is None or isinstance(target, _FUNCTIONS):
        return False
    if isinstance(target, MethodType):
        return may_remember(target.__self__)
    classes = _own_classes(target if isinstance(target, type) else type(target))
    attributes = [] if isinstance(target, type) else list(getattr(target, "__dict__", {}).values())
    return (
        any(not _is_unchanging(value) for value in attributes)
        or any(isinstance(value, list | dict | set) for one in classes for value in vars(one).values())
        or any(_writes(code) for one in classes for code in _methods(one))
    )


def _own_classes(kind: type) -> list[type]:
    """The user's classes: those of this project and the standard ones keep nothing."""
    return [one for one in kind.__mro__ if one is not object and not one.__module__.startswith(("planner.", "abc"))]


def _is_unchanging(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_unchanging, value))
    return isinstance(value, _UNCHANGING)


def _methods(kind: type) -> Iterator[CodeType]:
    for name, value in vars(kind).items():
        function = getattr(value, "__func__", value)
        if name not in _BEGINNING and isinstance(function, FunctionType):
            yield function.__code__


def _writes(code: CodeType) -> bool:
    """Whether a method sets attributes. One that open() sets may be changed in place later, so open() counts too."""
    pending = [code]
    while pending:
        current = pending.pop()
        if any(one.opname in _WRITES for one in dis.get_instructions(current)):
            return True
        pending += [constant for constant in current.co_consts if isinstance(constant, CodeType)]
    return False
