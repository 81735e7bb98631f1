"""What `_metadata` says about pieces of state: where each lies, how big it is, and whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Channel", "Distribution", "KeyedState", "OperatorState", "Stream", "StreamKind"]

StreamKind = Literal["in-line", "file", "relative file", "segment", "empty segment", "key groups"]
KeyedKind = Literal["key groups", "savepoint", "incremental", "changelog", "changes in memory", "changes in files"]
Distribution = Literal["SPLIT_DISTRIBUTE", "UNION", "BROADCAST"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """Bytes that are kept somewhere: in the file itself (`start` and `size`), or under `path`."""

    kind: StreamKind
    size: int
    path: str | None = None
    start: int = 0  # in `_metadata` for in-line bytes, in the file under `path` for a segment


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorState:
    """The operator states of one subtask, by name."""

    names: tuple[tuple[str, Distribution], ...]
    stream: Stream | None

    @property
    def size(self) -> int:
        """The size of the state in bytes."""
        return self.stream.size if self.stream else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedState:
    """The keyed state of one subtask: its key groups and the streams that hold them.

    `named_in` are the streams that begin with the description of the states, which ends at `header` where that is
    known. `changes` are the changes of a change log that describe states and lie in `_metadata` (start and length).
    """

    kind: KeyedKind
    first_key_group: int
    key_groups: int
    size: int
    streams: tuple[Stream, ...] = ()
    named_in: tuple[Stream, ...] = ()
    header: int | None = None
    changes: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """Records in flight that an unaligned checkpoint kept."""

    size: int
    empty: bool  # no records after all
    stream: Stream | None
