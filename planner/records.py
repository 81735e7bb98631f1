"""Frozen dataclasses that cost little to define.

`dataclass(frozen=True)` compiles six functions per class when its module is imported. Of the sixty classes that a small
`plan explain` needs, most are never compared or printed, and those functions took a quarter of its time. A record is
a dataclass to everybody (`fields`, `replace`, type checkers): its fields come from `dataclass` itself. Its `__init__`
is compiled when the first instance is made; the other methods are shared by all records.

`maker` is for loops that make a record per operator of a large job: a plain function makes one several times faster
than a call of the class, whose arguments Python first packs into a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, ParamSpec, TypeVar, dataclass_transform, overload

__all__ = ["maker", "record"]

Class = TypeVar("Class", bound=type)
Made = TypeVar("Made")
Arguments = ParamSpec("Arguments")


@overload
def record(cls: Class, /) -> Class: ...


@overload
def record(*, kw_only: bool = True, slots: bool = True) -> Callable[[Class], Class]: ...


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, kw_only: bool = True, slots: bool = True) -> Any:
    """Make a class a frozen dataclass: with slots, and with arguments by keyword, unless it says otherwise."""
    if cls is None:
        return lambda chosen: _made(chosen, kw_only, slots)
    return _made(cls, kw_only, slots)


def _made(cls: Any, kw_only: bool, slots: bool) -> Any:
    bases = [vars(base)["__dataclass_params__"] for base in cls.__mro__[1:] if "__dataclass_params__" in vars(base)]
    for base in bases:  # `dataclass` refuses a class that is not frozen below one that is: this one is, further down
        base.frozen = False
    cls = dataclass(init=False, repr=False, eq=False, kw_only=kw_only, slots=slots)(cls)
    for base in bases:
        base.frozen = True
    for made_here in ("init", "repr", "eq", "frozen"):
        setattr(cls.__dataclass_params__, made_here, True)
    cls.__init__ = _first_init(cls)
    for name, shared in _SHARED.items():
        if name not in cls.__dict__:
            setattr(cls, name, shared)
    return cls


def _first_init(cls: Any) -> Callable[..., None]:
    """An `__init__` that puts the compiled one in its own place."""

    def __init__(self: Any, /, *arguments: Any, **keywords: Any) -> None:
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *arguments, **keywords)

    return __init__


def _compiled_init(cls: Any) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": object.__setattr__}
    signature, body = _signature(cls, names, "self"), [_assignment(cls, known, names) for known in fields(cls)]
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    exec(f"def __init__({signature}):\n  " + "\n  ".join(body or ["pass"]), names)  # as `dataclass` does
    compiled: Callable[..., None] = names["__init__"]
    compiled.__qualname__ = f"{cls.__qualname__}.__init__"
    return compiled


def maker(cls: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
    """A function that does what a call of the record's class does, in a fraction of the time.

    Call it where it is used, not when a module is imported: the first call compiles it.
    """
    return _compiled_maker(cls)


@cache
def _compiled_maker(cls: Any) -> Callable[..., Any]:
    """Fills an open twin of the class, whose slots can be assigned, and then makes the twin a record."""
    if hasattr(cls, "__post_init__") or "__slots__" not in cls.__dict__:
        made: Callable[..., Any] = cls
        return made
    twin = type(cls.__name__, (), {"__slots__": cls.__dict__["__slots__"]})
    names: dict[str, Any] = {"_new": object.__new__, "_twin": twin, "_class": cls}
    signature = _signature(cls, names)
    body = [f"self.{known.name} = {_value(known, names)}" for known in fields(cls)]
    exec(
        f"def make({signature}):\n  "
        + "\n  ".join(["self = _new(_twin)", *body, "self.__class__ = _class", "return self"]),
        names,
    )
    compiled: Callable[..., Any] = names["make"]
    return compiled


def _signature(cls: Any, names: dict[str, Any], *first: str) -> str:
    positional, by_keyword = list(first), list[str]()
    for known in fields(cls):
        (by_keyword if known.kw_only else positional).append(_parameter(known, names))
    return ", ".join([*positional, *(["*", *by_keyword] if by_keyword else [])])


def _parameter(known: Field[Any], names: dict[str, Any]) -> str:
    if known.default_factory is not MISSING:
        names[f"_default_{known.name}"] = MISSING
    elif known.default is not MISSING:
        names[f"_default_{known.name}"] = known.default
    else:
        return known.name
    return f"{known.name}=_default_{known.name}"


def _value(known: Field[Any], names: dict[str, Any]) -> str:
    value = known.name
    if known.default_factory is not MISSING:
        names[f"_make_{known.name}"] = known.default_factory
        value = f"_make_{value}() if {value} is _default_{value} else {value}"
    return value


def _assignment(cls: Any, known: Field[Any], names: dict[str, Any]) -> str:
    value = _value(known, names)
    put: Any = getattr(getattr(cls, known.name, None), "__set__", None)
    if put is not None:  # past the frozen `__setattr__`, straight into the slot
        names[f"_set_{known.name}"] = put
        return f"_set_{known.name}(self, {value})"
    return f"_set(self, {known.name!r}, {value})"


@cache
def _compared(cls: Any) -> Callable[[Any], Any]:
    names = [known.name for known in fields(cls) if known.compare]
    return attrgetter(*names) if names else lambda _: ()


def _equal(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    values = _compared(self.__class__)
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(_compared(self.__class__)(self))


def _shown(self: Any) -> str:
    shown = ", ".join(f"{known.name}={getattr(self, known.name)!r}" for known in fields(self) if known.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse_set(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, known.name) for known in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for known, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, known.name, value)


_SHARED = {
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _shown,
    "__setattr__": _refuse_set,
    "__delattr__": _refuse_delete,
    "__getstate__": _state,
    "__setstate__": _restore,
}
