"""The file `_metadata` of a savepoint or a retained checkpoint, versions 2 to 6.

| version | Flink | what it added |
| --- | --- | --- |
| 1 | 1.1, 1.2 | Flink no longer reads it, and neither do we |
| 2 | 1.3 on | |
| 3 | 1.11 on | the state of coordinators, and records in flight |
| 4 | 1.15 on | the properties: savepoint or checkpoint, and its format |
| 5 | 2.0 | names and uids of operators |
| 6 | 2.1 on | several kinds of records in flight |
"""

from __future__ import annotations

from typing import Literal

from planner.records import record
from planner.savepoints.cursor import BrokenFile, Cursor
from planner.savepoints.handle_format import (
    Channel,
    KeyedState,
    OperatorState,
    Stream,
    read_channels,
    read_keyed_state,
    read_operator_state,
    read_stream,
)
from planner.savepoints.java_objects import JavaNames, read_java_object

__all__ = ["MAGIC", "Metadata", "SavedOperator", "SavedSubtask", "read_metadata"]

MAGIC = bytes.fromhex("4960672d")
_MASTER_MAGIC = -0x3694E96A  # 0xC96B1696 with a sign
_NEWEST = 6
_PROPERTIES = "org.apache.flink.runtime.checkpoint.CheckpointProperties"


@record
class SavedSubtask:
    """The state of one subtask of an operator."""

    index: int
    finished: bool = False
    managed_operator: OperatorState | None = None
    raw_operator: OperatorState | None = None
    managed_keyed: KeyedState | None = None
    raw_keyed: KeyedState | None = None
    input_channels: tuple[Channel, ...] = ()
    output_channels: tuple[Channel, ...] = ()

    @property
    def size(self) -> int:
        """The size of its state in bytes."""
        single = (self.managed_operator, self.raw_operator, self.managed_keyed, self.raw_keyed)
        channels = (*self.input_channels, *self.output_channels)
        return sum(state.size for state in single if state) + sum(channel.size for channel in channels)

    @property
    def has_state(self) -> bool:
        """Whether Flink counts it as state: any handle does, even an empty one."""
        single = self.managed_operator or self.raw_operator or self.managed_keyed or self.raw_keyed
        return bool(single or self.input_channels or self.output_channels)


@record
class SavedOperator:
    """One operator of the job that was saved."""

    id: str  # 32 hex digits
    name: str | None
    uid: str | None
    parallelism: int
    max_parallelism: int
    coordinator: Stream | None
    fully_finished: bool
    subtasks: tuple[SavedSubtask, ...]

    @property
    def has_state(self) -> bool:
        """Whether Flink would miss the operator in a new job."""
        return self.coordinator is not None or any(subtask.has_state for subtask in self.subtasks)

    @property
    def size(self) -> int:
        """The size of its state in bytes, as Flink counts it."""
        coordinator = self.coordinator.size if self.coordinator else 0
        return coordinator + sum(subtask.size for subtask in self.subtasks)


@record
class Metadata:
    """The whole file."""

    version: int
    checkpoint_id: int
    operators: tuple[SavedOperator, ...]
    master_states: tuple[str, ...]  # their names
    properties: JavaNames | None

    @property
    def taken_as(self) -> Literal["savepoint", "checkpoint"] | None:
        """What it is, where the file says so (since version 4)."""
        if self.properties is None:
            return None
        saved = any(name.endswith("SavepointType") for name in self.properties.classes)
        return "savepoint" if saved or "SAVEPOINT" in self.properties.constants else "checkpoint"

    @property
    def format(self) -> Literal["canonical", "native"] | None:
        """The format of a savepoint: canonical ones fit every state backend."""
        constants = self.properties.constants if self.properties else ()
        return "canonical" if "CANONICAL" in constants else "native" if "NATIVE" in constants else None


def read_metadata(data: bytes) -> Metadata:
    """Read a whole `_metadata` file. Raises BrokenFile where it is not one."""
    cursor = Cursor(data)
    if cursor.take(4, "the first word") != MAGIC:
        raise BrokenFile("it does not begin as a savepoint does", 0)
    version = cursor.int32("the version")
    if version == 1:
        raise BrokenFile("it has version 1, of Flink 1.1 or 1.2, which Flink no longer reads", 4)
    if not 2 <= version <= _NEWEST:
        raise BrokenFile(f"it has version {version}, and versions 2 to {_NEWEST} are known", 4)
    return _body(cursor, version)


def _body(cursor: Cursor, version: int) -> Metadata:
    start = cursor.at
    checkpoint_id = cursor.int64("the id of the checkpoint")
    if checkpoint_id < 0:
        raise BrokenFile(f"the id of the checkpoint is {checkpoint_id}", start)
    masters = tuple(_master_state(cursor) for _ in range(cursor.count("master states", smallest=18)))
    number = cursor.count("operators", smallest=29)
    operators = tuple(_operator(cursor, version) for _ in range(number))
    return Metadata(
        version=version,
        checkpoint_id=checkpoint_id,
        operators=operators,
        master_states=masters,
        properties=_properties(cursor) if version >= 4 else None,
    )


def _properties(cursor: Cursor) -> JavaNames:
    start = cursor.at
    names = read_java_object(cursor)
    if _PROPERTIES not in names.classes:
        raise BrokenFile("the properties are those of something else", start)
    return names


def _master_state(cursor: Cursor) -> str:
    """What a hook of the job manager saved: its name."""
    start = cursor.at
    if cursor.int32("a master state") != _MASTER_MAGIC:
        raise BrokenFile("a master state does not begin as one", start)
    length = cursor.int32("the length of a master state")
    inner = Cursor(cursor.data, cursor.skip(length, "a master state"), cursor.at)
    inner.int32("the version of a master state")
    name = inner.text("the name of a master state")
    inner.skip(inner.int32("the length of a master state"), "a master state")
    if inner.left:
        raise BrokenFile("a master state is longer than it says", inner.at)
    return name


def _operator(cursor: Cursor, version: int) -> SavedOperator:
    name = cursor.text("the name of an operator") if version >= 5 else ""
    uid = cursor.text("the uid of an operator") if version >= 5 else ""
    id_ = cursor.take(16, "the id of an operator").hex()
    start = cursor.at
    parallelism, maximum = cursor.int32("a parallelism"), cursor.int32("a max parallelism")
    if not 0 <= parallelism <= maximum:
        raise BrokenFile(f"operator {id_} has parallelism {parallelism} and max parallelism {maximum}", start)
    coordinator = _coordinator(cursor, version)
    number = _subtask_count(cursor)
    subtasks = tuple(_subtask(cursor, version, parallelism) for _ in range(max(number, 0)))
    return SavedOperator(
        id=id_,
        name=name or None,
        uid=uid or None,
        parallelism=parallelism,
        max_parallelism=maximum,
        coordinator=coordinator,
        fully_finished=number < 0,
        subtasks=tuple({subtask.index: subtask for subtask in subtasks}.values()),
    )


def _coordinator(cursor: Cursor, version: int) -> Stream | None:
    if version == 2:
        cursor.int32("the length of a chain")
        return None
    start = cursor.at
    stream = read_stream(cursor)
    if stream is not None and stream.kind != "in-line":
        raise BrokenFile("the state of a coordinator lies in another file", start)
    return stream


def _subtask_count(cursor: Cursor) -> int:
    """How many subtasks follow; negative where all had finished."""
    start = cursor.at
    number = cursor.int32("the number of subtasks")
    if number * 4 > cursor.left:
        raise BrokenFile(f"the file is too short for {number} subtasks", start)
    return number


def _subtask(cursor: Cursor, version: int, parallelism: int) -> SavedSubtask:
    start = cursor.at
    index = cursor.int32("the number of a subtask")
    finished = index < 0 and version >= 3
    index = -(index + 1) if finished else index
    if not 0 <= index < parallelism:
        raise BrokenFile(f"there is a subtask {index} of {parallelism}", start)
    if finished:
        return SavedSubtask(index=index, finished=True)
    if version == 2:
        _skip_old_fields(cursor)
    return SavedSubtask(
        index=index,
        managed_operator=read_operator_state(cursor),
        raw_operator=read_operator_state(cursor),
        managed_keyed=read_keyed_state(cursor),
        raw_keyed=read_keyed_state(cursor),
        input_channels=read_channels(cursor, version, "input channels") if version >= 3 else (),
        output_channels=read_channels(cursor, version, "output channels") if version >= 3 else (),
    )


def _skip_old_fields(cursor: Cursor) -> None:
    cursor.int64("a duration")
    start = cursor.at
    if cursor.int32("the number of legacy states") != 0:
        raise BrokenFile("it has legacy state, which Flink no longer reads", start)
