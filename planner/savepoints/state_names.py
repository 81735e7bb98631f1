"""The names and kinds of keyed states, searched for in the streams that describe them.

A description is made of serializer snapshots, which have no length: only their own Java classes can read past them. So
the names are found by what always stands beside them. A state is `int kind, int options, "KEYED_STATE_TYPE", type`
with its name right before; a timer service is `int 3, int 0, int 1, "VALUE_SERIALIZER"` with its name right before.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from planner.savepoints.cursor import BrokenFile, Cursor, decode_modified_utf8

__all__ = ["NamedState", "find_key_serializer", "find_named_states"]

_KINDS = ("KEY_VALUE", "OPERATOR", "BROADCAST", "PRIORITY_QUEUE", "KEY_VALUE_V2")
_STATE = re.compile(rb"\x00\x00\x00([\x00-\x04])\x00\x00\x00[\x01-\x08]\x00\x10KEYED_STATE_TYPE\x00(.)", re.DOTALL)
_TIMERS = re.compile(rb"\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x10VALUE_SERIALIZER")
_LONGEST_NAME = 0xFFFF


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class NamedState:
    """One state by its name: a keyed state and its type, a timer service, or an operator state and its distribution."""

    name: str
    kind: str  # KEY_VALUE, PRIORITY_QUEUE, OPERATOR, BROADCAST, KEY_VALUE_V2
    type: str | None  # VALUE, LIST, MAP, REDUCING, AGGREGATING; of operator state SPLIT_DISTRIBUTE, UNION, BROADCAST

    @property
    def timers(self) -> bool:
        """Whether it holds timers, which every keyed process function has, used or not."""
        return self.kind == "PRIORITY_QUEUE"


def find_named_states(described: bytes) -> Iterator[NamedState]:
    """The states that a description names, in its order."""
    found = [(match.start(), match) for pattern in (_STATE, _TIMERS) for match in pattern.finditer(described)]
    for start, match in sorted(found, key=lambda each: each[0]):
        name = _name_before(described, start)
        if name is None:
            continue
        if match.re is _TIMERS:
            yield NamedState(name=name, kind="PRIORITY_QUEUE", type=None)
            continue
        length = match.group(2)[0]
        type_ = described[match.end() : match.end() + length]
        if len(type_) == length and type_.isascii():
            yield NamedState(name=name, kind=_KINDS[match.group(1)[0]], type=type_.decode("ascii"))


def _name_before(described: bytes, end: int) -> str | None:
    """The string that ends at `end`: its own length stands before it. The shortest one that fits is the name."""
    for length in range(min(_LONGEST_NAME, end - 2) + 1 if end >= 2 else 0):
        start = end - length
        if struct.unpack_from(">H", described, start - 2)[0] == length:
            try:
                return decode_modified_utf8(described[start:end])
            except UnicodeDecodeError:
                return None
    return None


def find_key_serializer(described: bytes) -> str | None:
    """The simple class name of the key's serializer, with which a description begins."""
    cursor = Cursor(described)
    try:
        cursor.int32("the version")
        cursor.byte("the compression")
        cursor.int32("the version of a snapshot")
        name = cursor.text("the class of a snapshot")
    except BrokenFile:
        return None
    simple = re.sub(r".*[.$]", "", name)
    serializer = simple.removesuffix("Snapshot")
    return serializer if serializer.isidentifier() and serializer.endswith("Serializer") else None
