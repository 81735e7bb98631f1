"""`pyflink.common.configuration`: Flink options by their keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from planner.flink.versions import is_before
from planner.frontends.python.differences import as_pyflink, extension
from planner.frontends.python.versions import version

__all__ = ["Configuration"]

_Keys = set[str]  # `set` is a method of ours below


class _ParseListValue:
    """A static method of which Flink 1.x has one more argument."""

    def __get__(self, instance: object, owner: type) -> Callable[..., list[str]]:
        return _parts_as_1x if as_pyflink() and is_before(version(), "2.0") else _parts


def _parts(value: str) -> list[str]:
    """The parts of a value that is a list."""
    return _parts_as_1x(value)


def _parts_as_1x(value: str, standard_yaml: bool = True) -> list[str]:
    if not value:
        return []
    if value.startswith("[") and standard_yaml:
        return [part.strip(" '\"") for part in value.strip("[]").split(",") if part.strip()]
    return value.split(";")


class Configuration:
    """Options with their values as they were set."""

    def __init__(self, other: Configuration | Mapping[str, Any] | None = None, j_configuration: Any = None) -> None:
        given = other._options if isinstance(other, Configuration) else other
        self._options: dict[str, Any] = dict(given or {})
        self._live = getattr(j_configuration, "set_option", None)  # the options of an environment

    @classmethod
    def from_dict(cls, map: Mapping[str, str]) -> Configuration:
        """The options of a dict."""
        for key, value in map.items():
            if not isinstance(value, str):
                raise TypeError(
                    f"the value of {key!r} must be str, found {value!r}: PyFlink fails with ClassCastException"
                )
        return cls._of(map)

    @classmethod
    def _of(cls, options: Mapping[str, Any]) -> Configuration:
        made = cls()
        made._options.update(options)
        return made

    parse_list_value = _ParseListValue()

    def _set(self, key: str, value: Any) -> Configuration:
        self._options[key] = value
        if self._live is not None:
            self._live(key, value)
        return self

    def _get(self, key: str, default_value: Any) -> Any:
        return self._options.get(key, default_value)

    def set_string(self, key: str, value: str) -> Configuration:
        """Set a text."""
        if not isinstance(value, str) and as_pyflink():
            raise TypeError(f"the value of {key!r} must be str, found {value!r}")
        return self._set(key, value)

    @extension
    def set(self, key: str, value: Any) -> Configuration:
        """Set one option."""
        return self._set(key, value)

    def set_integer(self, key: str, value: int) -> Configuration:
        """Set a whole number."""
        return self._set(key, value)

    def set_boolean(self, key: str, value: bool) -> Configuration:
        """Set a flag."""
        return self._set(key, value)

    def set_float(self, key: str, value: float) -> Configuration:
        """Set a number."""
        return self._set(key, float(value))

    def set_bytearray(self, key: str, value: bytearray) -> Configuration:
        """Set bytes."""
        return self._set(key, value)

    def get_string(self, key: str, default_value: str) -> str:
        """A text."""
        value: Any = self._get(key, default_value)
        return _text(value) if isinstance(value, (bool, int, float)) else value

    def get_integer(self, key: str, default_value: int) -> int:
        """A whole number."""
        value: Any = self._get(key, default_value)
        return int(value) if isinstance(value, str) else value

    def get_boolean(self, key: str, default_value: bool) -> bool:
        """A flag."""
        value = self._get(key, default_value)
        return value.strip().lower() == "true" if isinstance(value, str) else bool(value)

    def get_float(self, key: str, default_value: float) -> float:
        """A number."""
        return float(self._get(key, default_value))

    def get_bytearray(self, key: str, default_value: bytearray) -> bytearray:
        """Bytes."""
        return bytearray(self._get(key, default_value))

    def key_set(self) -> _Keys:
        """All keys."""
        return set(self._options)

    def contains_key(self, key: str) -> bool:
        """Whether an option is set."""
        return key in self._options

    def remove_config(self, key: str) -> bool:
        """Take an option out."""
        return self._options.pop(key, None) is not None

    def add_all(self, other: Configuration, prefix: str | None = None) -> Configuration:
        """Take over the options of another one."""
        self._options.update({f"{prefix or ''}{key}": value for key, value in other._options.items()})
        return self

    def add_all_to_dict(self, target_dict: dict[str, Any]) -> None:
        """Put all options into a dict, as texts."""
        target_dict.update(self.to_dict())

    def to_dict(self) -> dict[str, str]:
        """All options as texts."""
        return {key: _text(value) for key, value in self._options.items()}

    def __deepcopy__(self, memodict: Any = None) -> Configuration:
        return Configuration(self)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.to_dict().items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and self.to_dict() == other.to_dict()

    def __str__(self) -> str:
        return str(self.to_dict())


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
