"""Objects that only keep what was called on them: connectors, formats and settings that no plan depends on.

The classes under `declared` have PyFlink's names and arguments and no code. Every call on them is checked against its
declaration, as Python would, and kept in order. So `KafkaSource.builder().set_topics("a").build()` is a `KafkaSource`
that knows the whole line it was made by.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from planner.frontends.python.differences import as_pyflink
from planner.frontends.python.versions import by_version, refuse_without_java, refuse_without_method

__all__ = ["Call", "Recorded"]

_DECLARED: Final = __name__.rpartition(".")[0] + ".declared."
_SECRET: Final = r"password|passwd|secret|jaas|token|credential|api.?key|private.?key"  # compiled when first needed
_CHECKED: Final = ("base_path", "paths", "serialization_schema", "encoder")  # the ends of parameters' names
_BUILT_IN: Final = {"Any", "None", "str", "int", "float", "bool", "bytes", "list", "dict"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call on a recorded object, with its arguments by name."""

    name: str
    arguments: tuple[tuple[str, Any], ...]

    def first(self) -> Any:
        """The first argument; None where there is none."""
        return self.arguments[0][1] if self.arguments else None

    def __str__(self) -> str:
        if _is_secret(self.name):
            return f"{self.name}(***)"
        shown = [_shown(value) for _, value in self.arguments]
        if shown and isinstance(self.first(), str) and _is_secret(self.first()):
            shown[1:] = ["***"] * len(shown[1:])  # a property whose value nobody should see in a plan
        return f"{self.name}({', '.join(shown)})"


def _is_secret(text: str) -> bool:
    return re.search(_SECRET, text, re.IGNORECASE) is not None


class Recorded:
    """An object of PyFlink that keeps the calls it was made and set by."""

    _calls: tuple[Call, ...] = ()

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if cls.__module__.startswith(_DECLARED):  # a user's subclass has code of its own
            for name, member in list(vars(cls).items()):
                if (wrapped := _wrapped(cls, name, member)) is not None:
                    setattr(cls, name, wrapped)
            by_version(cls)

    def calls(self, name: str) -> list[Call]:
        """The calls of one name, in order."""
        return [call for call in self._calls if call.name == name or call.name.endswith(f".{name}")]

    def last(self, name: str) -> Call | None:
        """The last call of one name."""
        found = self.calls(name)
        return found[-1] if found else None

    def _keep(self, call: Call) -> None:
        """Keep a call."""
        self._calls = (*self._calls, call)

    def _got(self, name: str, returned: str) -> Any:
        """What a getter answers: the value that was set last, or given when the object was made."""
        wanted = name.partition("_")[2]
        setters = (f"set_{wanted}", f"with_{wanted}", wanted)
        for call in reversed(self._calls):
            if call.name in setters:
                return call.first()
            if wanted in dict(call.arguments):
                return dict(call.arguments)[wanted]
            if call.name.startswith(("enable_", "disable_")) and call.name.partition("_")[2] in wanted:
                return call.name.startswith("enable_")
        return False if returned == "bool" else None

    def __repr__(self) -> str:
        return ".".join(str(call) for call in self._calls) or type(self).__name__


def _wrapped(cls: type[Recorded], name: str, member: Any) -> Any:
    if isinstance(member, staticmethod):
        return staticmethod(_static(cls, name, member.__func__))
    if not callable(member) or isinstance(member, type) or getattr(member, "__isabstractmethod__", False):
        return None
    return _method(cls, name, member)


def _static(cls: type[Recorded], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        function(*args, **kwargs)  # refuses wrong arguments as Python does
        _refuse_without_java(cls)
        made = Call(f"{cls.__name__}.{name}", _bound(function, args, kwargs))
        _check(made)
        return _product(cls, function, (made,))

    return _like(call, function)


def _method(cls: type[Recorded], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Recorded, *args: Any, **kwargs: Any) -> Any:
        said = function(self, *args, **kwargs)
        bound = _bound(function, (self, *args), kwargs)[1:]
        refuse_without_method(cls.__name__, name)
        if name == "__init__":
            _refuse_without_java(type(self))
            made = Call(type(self).__name__, bound)
            _check(made)
            self._calls = (*self._calls, made)
            return None
        if name.startswith(("get_", "is_", "has_")) and not bound:
            return said if said is not None else self._got(name, _returned(function))
        if name == "build" and as_pyflink():
            from planner.frontends.python.connector_checks import check_built

            check_built(self)
        made = Call(name, bound)
        _check(made)
        self._keep(made)
        return self if _returned(function) == "Self" else _product(cls, function, self._calls)

    return _like(call, function)


def _check(call: Call) -> None:
    """Refuse a path or a schema that PyFlink refuses in the call itself."""
    if any(name.endswith(_CHECKED) for name, _ in call.arguments) and as_pyflink():
        from planner.frontends.python.connector_checks import check_arguments

        check_arguments(call)


def _like(call: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """What `functools.wraps` does, as far as anybody asks: there are thousands of these."""
    call.__name__, call.__doc__ = function.__name__, function.__doc__
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call


def _refuse_without_java(cls: type[Recorded]) -> None:
    """Refuse a class that PyFlink declares while no connector for this version of Flink has its Java class."""
    for kind in cls.__mro__:
        refuse_without_java(kind.__name__)


def _returned(function: Callable[..., Any]) -> str:
    return str(function.__annotations__.get("return", "Any"))


def _product(cls: type[Recorded], function: Callable[..., Any], calls: tuple[Call, ...]) -> Any:
    """An object of the class that a call is declared to return, made by these calls."""
    named = _returned(function)
    if named in _BUILT_IN:
        return None
    found: Any = sys.modules[cls.__module__]
    for part in named.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        return None
    if not issubclass(found, Recorded):
        return None
    made = found.__new__(found)
    made._calls = calls
    return made


def _bound(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    positional = list(zip(names, args, strict=False))
    rest = args[len(names) :]
    several = [(code.co_varnames[code.co_argcount + code.co_kwonlyargcount], rest)] if rest else []
    return (*positional, *several, *kwargs.items())


def _shown(value: Any) -> str:
    if isinstance(value, (str, int, float, bool, type(None), Recorded)):
        return repr(value)
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_shown(part) for part in value)}]"
    if isinstance(value, dict):
        pairs = ((key, "***" if _is_secret(str(key)) else _shown(inner)) for key, inner in value.items())
        return f"{{{', '.join(f'{_shown(key)}: {inner}' for key, inner in pairs)}}}"
    return getattr(value, "__name__", None) or type(value).__name__
