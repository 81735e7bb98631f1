"""Reading the keys of one mapping of a job's file: checked against a table, with the place of whatever is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.errors import JobDefinitionError
from planner.frontends.yaml.parser import Document
from planner.job import Location
from planner.settings.job_format import KIND_KEYS, Key
from planner.settings.values import Fault, describe
from planner.spelling import did_you_mean

__all__ = ["Fields", "owner_words", "read_fields"]


class Fields:
    """The converted values of one mapping, and errors that point at its keys."""

    __slots__ = ("_owner", "document", "raw", "values")

    def __init__(self, document: Document, raw: Mapping[str, Any], owner: str | int, values: dict[str, Any]) -> None:
        self.document = document
        self.raw = raw
        self._owner = owner
        self.values = values

    @property
    def owner(self) -> str:
        """What each message begins with."""
        return owner_words(self._owner, self.raw)

    def get(self, key: str, default: Any = None) -> Any:
        """The converted value, or the default where the key is not written."""
        return self.values.get(key, default)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def location(self, key: str) -> Location:
        """The position of a key's value."""
        return self.document.of_value(self.raw, key)

    def error(self, key: str, message: str, hint: str | None = None) -> JobDefinitionError:
        """An error about the value of a key."""
        return JobDefinitionError(f"{self.owner}{message}", location=self.location(key), hint=hint)


def owner_words(owner: str | int, raw: Mapping[str, Any]) -> str:
    """The beginning of a message. A number is an operator's position: it is named by its id, if it has one."""
    if isinstance(owner, str):
        return owner
    identity = raw.get("id")
    return f"operator {identity[:60]!r}: " if isinstance(identity, str) else f"operator {owner + 1}: "


def read_fields(document: Document, raw: Mapping[str, Any], keys: Mapping[str, Key], owner: str | int) -> Fields:
    """Check and convert every key of a mapping. `owner` begins each message, see `owner_words`: "operator 'm': "."""
    values: dict[str, Any] = {}
    for name, value in raw.items():
        key = keys.get(name)
        if key is None:
            raise _unknown_key(document, raw, name, keys, owner_words(owner, raw))
        if value is None:
            raise JobDefinitionError(
                f"{owner_words(owner, raw)}`{name}` is empty",
                location=document.of_key(raw, name),
                hint="give it a value or remove the key",
            )
        try:
            values[name] = key.type.read(value)
        except Fault as fault:
            raise fault_error(document, raw, name, fault, owner_words(owner, raw)) from None
    return Fields(document, raw, owner, values)


def fault_error(document: Document, raw: Any, name: str, fault: Fault, owner: str) -> JobDefinitionError:
    """A fault with its place: the inner one where the fault names it, else the key's value."""
    inner = fault.container is not None
    location = document.of_value(fault.container, fault.key) if inner else document.of_value(raw, name)
    return JobDefinitionError(f"{owner}`{name}` {fault.message}", location=location, hint=fault.hint)


def _unknown_key(
    document: Document, raw: Mapping[str, Any], name: Any, keys: Mapping[str, Key], owner: str
) -> JobDefinitionError:
    location = document.of_key(raw, name)
    if not isinstance(name, str):
        return JobDefinitionError(f"{owner}a key must be text, found {describe(name)}", location=location)
    hint = (
        did_you_mean(name, keys) or _belongs_to(name) or f"known keys: {', '.join(k for k in keys if k != '$schema')}"
    )
    return JobDefinitionError(f"{owner}unknown key `{name[:60]}`", location=location, hint=hint)


def _belongs_to(name: str) -> str | None:
    kinds = [kind for kind, keys in KIND_KEYS.items() if name in keys]
    return f"`{name}` belongs to operators of type {', '.join(kinds)}" if kinds else None
