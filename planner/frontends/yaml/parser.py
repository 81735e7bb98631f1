"""A YAML file as plain data with the position of every value.

One pass over libyaml's events builds the data with an explicit stack, so that neither deep nesting nor aliases can
cost more than the file itself. Scalars follow YAML 1.2's core schema: `no`, `on`, `1:30` and dates stay text, `012`
is twelve.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from planner.errors import JobDefinitionError
from planner.job import Location
from planner.source_text import read_text

__all__ = ["Document", "parse_yaml", "read_yaml"]

MAX_DEPTH: Final = 64
MAX_SCALAR: Final = 1024 * 1024
MAX_NODES: Final = 4_000_000
MAX_ALIASED_NODES: Final = 10_000  # what aliases may add, counted as if every one were written out

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml where PyYAML was built with it: 20 times faster
_CORE: Final = "tag:yaml.org,2002:"
_CONTAINER_TAGS: Final = frozenset({None, "!", f"{_CORE}map", f"{_CORE}seq"})

_INTEGER: Final = re.compile(r"[-+]?[0-9]+\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT: Final = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z|[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z"
)
_WORDS: Final[Mapping[str, Any]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip

Place = tuple[int, int, int, int]  # of a key and of its value: line, column, line, column; all from 0


@dataclass(slots=True)
class Document:
    """Plain data with the place of every key and element; data that came from no file has only `origin`."""

    data: Any
    origin: Location
    places: dict[int, dict[Any, Place]] = field(default_factory=dict)  # by the id() of the container, then key or index

    def of_value(self, container: Any, key: Any) -> Location:
        """Where the value of a key, or the element at an index, begins."""
        if not self.places:
            return self.origin
        place = self.places.get(id(container), {}).get(key)
        return Location(self.origin.file, place[2] + 1, place[3] + 1) if place else self.origin

    def of_key(self, container: Any, key: Any) -> Location:
        """Where a key is written."""
        place = self.places.get(id(container), {}).get(key)
        return Location(self.origin.file, place[0] + 1, place[1] + 1) if place else self.origin


def read_yaml(path: Path, shown_as: str) -> Document:
    """Read one YAML file; errors name it as `shown_as`."""
    return parse_yaml(read_text(path, shown_as), shown_as)


def parse_yaml(text: str, shown_as: str) -> Document:
    """Parse the text of one YAML document into plain data with places."""
    _refuse_nul(text, shown_as)
    builder = _Builder(shown_as)
    parser: Any = None
    try:
        parser = _Parser(text)
        builder.read(parser)
    except yaml.YAMLError as error:
        raise _syntax_error(error, text, shown_as) from None
    finally:
        dispose = getattr(parser, "dispose", None)
        if dispose is not None:
            dispose()
    return Document(builder.root, Location(shown_as, 1, 1), builder.places)


def _refuse_nul(text: str, shown_as: str) -> None:
    index = text.find("\0")
    if index >= 0:
        raise JobDefinitionError(
            "the file has a NUL byte, so it is not a text file",
            location=_location(text, index, shown_as),
            hint="remove the NUL byte",
        )


def _location(text: str, index: int, shown_as: str) -> Location:
    return Location(shown_as, text.count("\n", 0, index) + 1, index - (text.rfind("\n", 0, index) + 1) + 1)


def _syntax_error(error: yaml.YAMLError, text: str, shown_as: str) -> JobDefinitionError:
    """PyYAML's complaint as ours: one sentence and one place."""
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        place = Location(shown_as, mark.line + 1, mark.column + 1) if mark else Location(shown_as, 1, 1)
        what = error.problem or "cannot be parsed"
        hint = (
            f"{error.context} at line {error.context_mark.line + 1}" if error.context and error.context_mark else None
        )
        return JobDefinitionError(f"not valid YAML: {what}", location=place, hint=hint)
    if isinstance(error, yaml.reader.ReaderError):
        index = len(text.encode("utf-8", "surrogatepass")[: error.position].decode("utf-8", "ignore"))
        return JobDefinitionError(
            "not valid YAML: a control character that YAML does not allow", location=_location(text, index, shown_as)
        )
    return JobDefinitionError(f"not valid YAML: {str(error).splitlines()[0]}", location=Location(shown_as, 1, 1))


@dataclass(slots=True)
class _Open:
    """A container that is still being read."""

    value: Any
    places: dict[Any, Place]
    start: tuple[int, int]
    anchor: str | None
    nodes_before: int
    key: Any = None
    key_start: tuple[int, int] | None = None  # set while a mapping waits for the value of `key`


class _Builder:
    """Builds the data of one document from parser events."""

    def __init__(self, shown_as: str) -> None:
        self.file = shown_as
        self.root: Any = None
        self.places: dict[int, dict[Any, Place]] = {}
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.nodes = 0
        self.aliased = 0
        self.documents = 0

    def read(self, parser: Any) -> None:
        """Consume all events of the parser."""
        handlers = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._mapping,
            yaml.SequenceStartEvent: self._sequence,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        next_event = parser.get_event
        while (event := next_event()) is not None:
            handler = handlers.get(type(event))
            if handler is not None:
                handler(event)

    def _error(self, message: str, mark: Any, hint: str | None = None) -> JobDefinitionError:
        return JobDefinitionError(message, location=Location(self.file, mark.line + 1, mark.column + 1), hint=hint)

    def _document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            raise self._error(
                "a second YAML document; a file holds one job", event.start_mark, "move it to a file of its own"
            )

    def _count(self, mark: Any) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self._error(f"more than {MAX_NODES:,} values in one file", mark, "generate smaller jobs")

    def _scalar(self, event: Any) -> None:
        mark = event.start_mark
        self._count(mark)
        if len(event.value) > MAX_SCALAR:
            raise self._error(f"a value of {len(event.value):,} characters; at most {MAX_SCALAR:,} are read", mark)
        value = self._resolve(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        self._place(value, mark.line, mark.column, mark)

    def _resolve(self, event: Any) -> Any:
        tag, text = event.tag, event.value
        if tag is None:
            return _core_scalar(text) if event.implicit[0] else text
        if tag in ("!", f"{_CORE}str"):
            return text
        if tag in (f"{_CORE}int", f"{_CORE}float", f"{_CORE}bool", f"{_CORE}null"):
            return _core_scalar(text)
        raise self._tag_error(event)

    def _tag_error(self, event: Any) -> JobDefinitionError:
        return self._error(
            f"the tag {event.tag!r} is refused: a job is only ever loaded as data", event.start_mark, "remove the tag"
        )

    def _mapping(self, event: Any) -> None:
        self._start(event, {})

    def _sequence(self, event: Any) -> None:
        self._start(event, [])

    def _start(self, event: Any, value: Any) -> None:
        mark = event.start_mark
        self._count(mark)
        if event.tag not in _CONTAINER_TAGS:
            raise self._tag_error(event)
        if len(self.open) >= MAX_DEPTH:
            raise self._error(
                f"nested more than {MAX_DEPTH} levels deep", mark, "no job needs such depth: look for a stray bracket"
            )
        if self.open and isinstance(self.open[-1].value, dict) and self.open[-1].key_start is None:
            raise self._error("a key must be plain text, not a list or mapping", mark)
        places: dict[Any, Place] = {}
        self.places[id(value)] = places
        self.open.append(_Open(value, places, (mark.line, mark.column), event.anchor, self.nodes + self.aliased))

    def _end(self, event: Any) -> None:
        done = self.open.pop()
        if done.anchor is not None:
            self.anchors[done.anchor] = (done.value, self.nodes + self.aliased - done.nodes_before + 1)
        self._place(done.value, *done.start, event.start_mark)

    def _alias(self, event: Any) -> None:
        mark = event.start_mark
        if event.anchor not in self.anchors:
            inside = any(container.anchor == event.anchor for container in self.open)
            what = "an alias inside its own anchor" if inside else "an alias without an anchor before it"
            raise self._error(f"{what}: *{event.anchor}", mark, "write the value out")
        value, size = self.anchors[event.anchor]
        self.aliased += size
        if self.aliased > MAX_ALIASED_NODES:
            raise self._error(
                f"aliases that would grow to more than {MAX_ALIASED_NODES:,} values",
                mark,
                "write the values out instead of aliasing them",
            )
        self._place(value, mark.line, mark.column, mark)

    def _place(self, value: Any, line: int, column: int, mark: Any) -> None:
        """Put a finished value into the container that is open."""
        if not self.open:
            self.root = value
            return
        parent = self.open[-1]
        if isinstance(parent.value, list):
            parent.places[len(parent.value)] = (line, column, line, column)
            parent.value.append(value)
        elif parent.key_start is None:
            self._key(parent, value, line, column, mark)
        else:
            parent.places[parent.key] = (*parent.key_start, line, column)
            parent.value[parent.key] = value
            parent.key_start = None

    def _key(self, parent: _Open, value: Any, line: int, column: int, mark: Any) -> None:
        if isinstance(value, (dict, list)):
            raise self._error("a key must be plain text, not a list or mapping", mark)
        key = value if isinstance(value, str) else _written(value)
        if key in parent.value:
            first = parent.places[key]
            raise self._error(
                f"the key {key!r} is written twice",
                mark,
                f"it is already at line {first[0] + 1}: remove one of them",
            )
        parent.key, parent.key_start = key, (line, column)


def _written(value: Any) -> str:
    """A key that YAML reads as a number, a truth value or nothing, as text again."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _core_scalar(text: str) -> Any:
    """A plain scalar by YAML 1.2's core schema."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if not (first.isdigit() or first in "+-."):
        return text
    if len(text) > 400:  # longer than any number a job needs; int() of millions of digits takes seconds
        return text
    if _INTEGER.match(text):
        return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
    return _float(text) if _FLOAT.match(text) else text


def _float(text: str) -> float:
    lowered = text.lower()
    return float(lowered.replace(".", "") if lowered.endswith(("inf", "nan")) else lowered)
