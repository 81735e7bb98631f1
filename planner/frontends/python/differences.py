"""What a file may write that imports `planner`, and one that imports `pyflink` may not. The classes are the same.

A file that imports `pyflink` meets PyFlink's own rules, with PyFlink's own errors. A file that imports `planner` may
write more. `docs/python-api.md` has the whole list for users, `tests/planner/frontends/python/test_differences.py` a
test of each entry. Of values and of the classes that users derive from:

| | imports `pyflink` | imports `planner` |
| --- | --- | --- |
| lengths of time | a `Time` for windows, a `Duration` for watermarks | also a `timedelta`, or whole milliseconds |
| methods of a base class | all that PyFlink marks as abstract | those that are called |
| types of state descriptors | given | given, or left out |
| `WatermarkStrategy.with_idleness` and the like | lose the assigner | keep it, as in Java |
| types inside `Types.ROW` and the like | anything | types, with one distinct name each |
| the gap of dynamic sessions | an object with `extract()` | also a plain function |
| methods of `extensions` | not there | there |

What differs in the calls on streams and environments is the other part of the list: `checks`.

How the calls become a job ("java" or "pyflink") is another question: `calls` answers it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, cast

from planner.errors import JobDefinitionError
from planner.frontends.python_files.places import user_location

__all__ = [
    "UNSAID", "Interface", "as_pyflink", "expected", "extension", "milliseconds", "required", "said", "wrong",
]  # fmt: skip

_Method = TypeVar("_Method", bound=Callable[..., Any])


def as_pyflink() -> bool:
    """Whether PyFlink's own rules hold: the file that is being loaded, or that runs, imported its stand-in."""
    return getattr(sys.modules.get("pyflink"), "is_plan_stand_in", False) is True


def milliseconds(length: Any) -> int:
    """A length of time in milliseconds."""
    if hasattr(length, "to_milliseconds") or as_pyflink():
        return int(length.to_milliseconds())
    if hasattr(length, "in_milliseconds"):
        return int(length.in_milliseconds())
    if isinstance(length, timedelta):
        return int(length / timedelta(milliseconds=1))
    if isinstance(length, int) and not isinstance(length, bool):
        return length
    raise wrong(f"a duration must be a Time or Duration, found {length!r}", "write Time.seconds(5)")


def wrong(message: str, hint: str | None = None) -> JobDefinitionError:
    """A mistake at the user's line."""
    return JobDefinitionError(message, location=user_location(), hint=hint)


# --- classes that users derive from ----------------------------------------------------------------------------------


def required(method: _Method) -> _Method:
    """A method that PyFlink marks as abstract: where a class of ours leaves it out, calling it says so."""

    def missing(self: Any, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define {method.__name__}()")

    missing.__name__, missing.__doc__, missing.__wrapped__ = method.__name__, method.__doc__, method  # type: ignore[attr-defined]
    missing.is_required = True  # type: ignore[attr-defined]
    return cast("_Method", missing)


def expected(method: _Method) -> _Method:
    """A method that PyFlink marks as abstract: where a class of ours leaves it out, this is what it does."""
    method.is_required = True  # type: ignore[attr-defined]
    return method


class Interface:
    """A class to derive from. PyFlink's files must define all that is required; ours what is called."""

    if not TYPE_CHECKING:  # the arguments of a class are those of its own __init__

        def __new__(cls, *arguments: Any, **named: Any) -> Self:
            if as_pyflink():
                missing = [name for name in dir(cls) if getattr(getattr(cls, name, None), "is_required", False)]
                if missing:
                    said = f"abstract method{'s' * (len(missing) > 1)} {', '.join(missing)}"
                    raise TypeError(f"Can't instantiate abstract class {cls.__name__} with {said}")
            if (arguments or named) and cls.__init__ is object.__init__:
                raise TypeError(f"{cls.__name__}() takes no arguments")
            return super().__new__(cls)

    def __class_getitem__(cls, _: Any) -> type[Self]:
        """`AsyncFunction[str, int]`, as PyFlink's generic classes can be written."""
        return cls


class _Extension:
    """A method that a file which imports `pyflink` does not find."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        if as_pyflink():
            name = self._method.__name__
            raise AttributeError(f"{owner.__name__!r} object has no attribute {name!r}", name=name, obj=instance)
        return self._method.__get__(instance, owner)


def extension(method: _Method) -> _Method:
    """A method of ours on a class of PyFlink's."""
    return cast("_Method", _Extension(method))


UNSAID: Final[Any] = object()  # an argument that PyFlink asks for


def said(value: Any, argument: str) -> Any:
    """An argument that only ours may leave out; None where it is left out."""
    if value is UNSAID and as_pyflink():
        raise TypeError(f"__init__() missing 1 required positional argument: {argument!r}")
    return None if value is UNSAID else value
