"""The formats of the handles in `_metadata`: streams, operator state, keyed state, channels.

A handle begins with a byte that says its kind. The kinds are the same in all versions of the file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Literal, get_args

from planner.records import record
from planner.savepoints.cursor import BrokenFile, Cursor

StreamKind = Literal["in-line", "file", "relative file", "segment", "empty segment", "key groups"]
KeyedKind = Literal["key groups", "savepoint", "incremental", "changelog", "changes in memory", "changes in files"]
HandleDistribution = Literal["SPLIT_DISTRIBUTE", "UNION", "BROADCAST"]


@record
class Stream:
    """Bytes that are kept somewhere: in the file itself (`start` and `size`), or under `path`."""

    kind: StreamKind
    size: int
    path: str | None = None
    start: int = 0  # in `_metadata` for in-line bytes, in the file under `path` for a segment


@record
class OperatorState:
    """The operator states of one subtask, by name."""

    names: tuple[tuple[str, HandleDistribution], ...]
    stream: Stream | None

    @property
    def size(self) -> int:
        """The size of the state in bytes."""
        return self.stream.size if self.stream else 0


@record
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


@record
class Channel:
    """Records in flight that an unaligned checkpoint kept."""

    size: int
    empty: bool  # no records after all
    stream: Stream | None


_DISTRIBUTIONS: tuple[HandleDistribution, ...] = get_args(HandleDistribution)
_NO_KEY_GROUP = -1  # of a change that describes a state
_DEEPEST = 16  # handles inside handles; Flink itself writes at most two


def read_stream(cursor: Cursor, depth: int = 0) -> Stream | None:
    """A stream of bytes: here, in a file, or none."""
    start = cursor.at
    match cursor.byte("the kind of a stream"):
        case 0:
            return None
        case 1:
            cursor.text("the name of a stream")
            length = cursor.int32("the length of a stream")
            return Stream(kind="in-line", start=cursor.skip(length, "a stream"), size=length)
        case 2:
            size = _size(cursor)
            return Stream(kind="file", size=size, path=cursor.text("a path"))
        case 3:
            _check_depth(depth, start)
            _key_group_offsets(cursor)
            inner = read_stream(cursor, depth + 1)
            return Stream(kind="key groups", size=inner.size if inner else 0)
        case 6:
            path = cursor.text("a path")
            return Stream(kind="relative file", path=path, size=_size(cursor))
        case 15:
            return _segment(cursor)
        case 16:
            return Stream(kind="empty segment", size=0)
        case kind:
            raise BrokenFile(f"there is no kind {kind} of stream", start)


def _segment(cursor: Cursor) -> Stream:
    """A part of a file that several pieces of state share."""
    begin, size = _size(cursor), _size(cursor)
    cursor.int32("the scope of a segment")
    path = cursor.text("a path")
    cursor.text("the id of a segment")
    return Stream(kind="segment", start=begin, size=size, path=path)


def _size(cursor: Cursor) -> int:
    start = cursor.at
    size = cursor.int64("a size")
    if size < 0:
        raise BrokenFile(f"a size is {size}", start)
    return size


def _check_depth(depth: int, at: int) -> None:
    if depth >= _DEEPEST:
        raise BrokenFile(f"handles lie in each other more than {_DEEPEST} deep", at)


def read_operator_state(cursor: Cursor) -> OperatorState | None:
    """The operator state of a subtask, after its flag."""
    if cursor.int32("the flag of operator state") == 0:
        return None
    start = cursor.at
    kind = cursor.byte("the kind of operator state")
    if kind == 0:
        return None
    if kind not in (4, 17):
        raise BrokenFile(f"there is no kind {kind} of operator state", start)
    names = tuple(_operator_state_name(cursor) for _ in range(cursor.count("operator states", smallest=7)))
    if kind == 17:
        cursor.text("a directory")
        cursor.text("a directory")
        cursor.byte("the flag of an empty file")
    return OperatorState(names=tuple(dict(names).items()), stream=read_stream(cursor))


def _operator_state_name(cursor: Cursor) -> tuple[str, HandleDistribution]:
    name = cursor.text("the name of a state")
    start = cursor.at
    mode = cursor.byte("how a state is distributed")
    if mode >= len(_DISTRIBUTIONS):
        raise BrokenFile(f"there is no way {mode} to distribute a state", start)
    cursor.skip(8 * cursor.count("parts of a state", smallest=8), "the parts of a state")
    return name, _DISTRIBUTIONS[mode]


def read_keyed_state(cursor: Cursor, depth: int = 0) -> KeyedState | None:
    """The keyed state of a subtask, of any state backend."""
    start = cursor.at
    match cursor.byte("the kind of keyed state"):
        case 0:
            return None
        case 3 | 7 | 12 as kind:
            return _key_groups(cursor, kind)
        case 5 | 11 as kind:
            return _incremental(cursor, kind)
        case 8 | 14 as kind:
            _check_depth(depth, start)
            return _changelog(cursor, kind, depth)
        case 9:
            return _changes_in_memory(cursor)
        case 10 | 13 as kind:
            return _changes_in_files(cursor, kind)
        case kind:
            raise BrokenFile(f"there is no kind {kind} of keyed state", start)


def _key_group_offsets(cursor: Cursor) -> tuple[int, int, int | None]:
    """The first key group, their number, and where the first of them begins in the stream."""
    first = cursor.int32("the first key group")
    groups = cursor.count("key groups", smallest=8)
    start = cursor.skip(8 * groups, "the offsets of key groups")
    offsets = struct.unpack_from(f">{groups}q", cursor.data, start)
    return first, groups, min((offset for offset in offsets if offset > 0), default=None)


def _key_group_range(cursor: Cursor) -> tuple[int, int]:
    first = cursor.int32("the first key group")
    return first, cursor.int32("the number of key groups")


def _key_groups(cursor: Cursor, kind: int) -> KeyedState:
    """Heap state, and the canonical savepoint of any backend."""
    first, groups, header = _key_group_offsets(cursor)
    stream = read_stream(cursor)
    if kind == 12:
        cursor.text("the id of a handle")
    streams = (stream,) if stream else ()
    return KeyedState(
        kind="savepoint" if kind == 7 else "key groups",
        first_key_group=first,
        key_groups=groups,
        size=sum(each.size for each in streams),
        streams=streams,
        named_in=streams,
        header=header,
    )


def _incremental(cursor: Cursor, kind: int) -> KeyedState:
    """RocksDB: a description of the states, files that other checkpoints share, and files of this one."""
    cursor.int64("the id of a checkpoint")
    cursor.text("the id of a state backend")
    first, groups = _key_group_range(cursor)
    if kind == 11:
        cursor.int64("a size")
    described = read_stream(cursor)
    files = [*_files(cursor), *_files(cursor)]
    if kind == 11:
        cursor.text("the id of a handle")
    named_in = (described,) if described else ()
    streams = (*named_in, *files)
    return KeyedState(
        kind="incremental",
        first_key_group=first,
        key_groups=groups,
        size=sum(stream.size for stream in streams),
        streams=streams,
        named_in=named_in,
    )


def _files(cursor: Cursor) -> Iterator[Stream]:
    for _ in range(cursor.count("files", smallest=3)):
        cursor.text("the name of a file")
        stream = read_stream(cursor)
        if stream:
            yield stream


def _changelog(cursor: Cursor, kind: int, depth: int) -> KeyedState:
    """The change log: the state as last written whole, and the changes since."""
    first, groups = _key_group_range(cursor)
    cursor.int64("a size")
    parts = [*_keyed_states(cursor, depth), *_keyed_states(cursor, depth)]
    cursor.int64("the id of a materialisation")
    if kind == 14:
        cursor.int64("the id of a checkpoint")
    cursor.text("the id of a handle")
    return KeyedState(
        kind="changelog",
        first_key_group=first,
        key_groups=groups,
        size=sum(part.size for part in parts),
        streams=tuple(stream for part in parts for stream in part.streams),
        named_in=tuple(stream for part in parts for stream in part.named_in),
        changes=tuple(change for part in parts for change in part.changes),
    )


def _keyed_states(cursor: Cursor, depth: int) -> Iterator[KeyedState]:
    for _ in range(cursor.count("keyed states", smallest=1)):
        state = read_keyed_state(cursor, depth + 1)
        if state:
            yield state


def _changes_in_memory(cursor: Cursor) -> KeyedState:
    first, groups = _key_group_range(cursor)
    cursor.int64("the number of the first change")
    cursor.int64("the number of the last change")
    size = 0
    described: list[tuple[int, int]] = []
    for _ in range(cursor.count("changes", smallest=8)):
        group = cursor.int32("the key group of a change")
        length = cursor.int32("the length of a change")
        start = cursor.skip(length, "a change")
        size += length
        described += [(start, length)] if group == _NO_KEY_GROUP else []
    cursor.text("the id of a handle")
    return KeyedState(
        kind="changes in memory", first_key_group=first, key_groups=groups, size=size, changes=tuple(described)
    )


def _changes_in_files(cursor: Cursor, kind: int) -> KeyedState:
    first, groups = _key_group_range(cursor)
    streams: list[Stream] = []
    for _ in range(cursor.count("files of changes", smallest=9)):
        cursor.int64("an offset")
        stream = read_stream(cursor)
        streams += [stream] if stream else []
    size = _size(cursor)
    cursor.int64("a size")
    cursor.text("the id of a handle")
    if kind == 13:
        cursor.text("the id of a storage")
    return KeyedState(
        kind="changes in files", first_key_group=first, key_groups=groups, size=size, streams=tuple(streams)
    )


def read_channels(cursor: Cursor, version: int, what: str) -> tuple[Channel, ...]:
    """The records in flight upstream or downstream of a subtask."""
    number = cursor.count(what, smallest=18 if version >= 6 else 25)
    return tuple(_channel(cursor, version, what) for _ in range(number))


def _channel(cursor: Cursor, version: int, what: str) -> Channel:
    start = cursor.at
    kind = cursor.byte(f"the kind of {what}") if version >= 6 else 1
    cursor.int32("the number of a subtask")
    match kind:
        case 1 | 2:
            cursor.skip(8, "the position of a channel")
            offsets = cursor.count("offsets", smallest=8)
            cursor.skip(8 * offsets, "offsets")
            size = _size(cursor)
            return Channel(size=size, empty=offsets == 0, stream=read_stream(cursor))
        case 3 | 4:
            size = _size(cursor)
            stream = read_stream(cursor)
            length = cursor.int32("the length of the offsets")
            cursor.skip(length, "offsets")
            return Channel(size=size, empty=length == 0, stream=stream)
        case _:
            raise BrokenFile(f"there is no kind {kind} of {what}", start)
