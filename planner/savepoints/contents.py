"""What is in a savepoint, operator by operator, for `plan show`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from planner.records import record
from planner.savepoints.files import Savepoint
from planner.savepoints.handle_format import KeyedState, OperatorState, Stream
from planner.savepoints.metadata import Metadata, SavedOperator, SavedSubtask
from planner.savepoints.state_names import NamedState, find_key_serializer, find_named_states

__all__ = ["OperatorContents", "SavepointContents", "describe_savepoint"]

# The kinds of state of a subtask, in Flink's words.
_KINDS = (
    ("managed operator", "managed_operator"),
    ("raw operator", "raw_operator"),
    ("managed keyed", "managed_keyed"),
    ("raw keyed", "raw_keyed"),
    ("input channel", "input_channels"),
    ("output channel", "output_channels"),
)


@record
class OperatorContents:
    """One saved operator with the names of its states."""

    saved: SavedOperator
    kinds: tuple[str, ...]
    states: tuple[NamedState, ...]
    all_named: bool  # False where names are in files that are not here
    key_serializer: str | None

    @property
    def data_states(self) -> tuple[NamedState, ...]:
        """The states without the timers."""
        return tuple(state for state in self.states if not state.timers)

    def to_dict(self) -> dict[str, Any]:
        """The operator as JSON-ready data."""
        saved = self.saved
        return {
            "id": saved.id,
            "name": saved.name,
            "uid": saved.uid,
            "parallelism": saved.parallelism,
            "max_parallelism": saved.max_parallelism,
            "has_state": saved.has_state,
            "fully_finished": saved.fully_finished,
            "size": saved.size,
            "coordinator": saved.coordinator.size if saved.coordinator else -1,
            "kinds": list(self.kinds),
            "states": [{"name": state.name, "kind": state.kind, "type": state.type} for state in self.states],
            "states_complete": self.all_named,
            "key_serializer": self.key_serializer,
        }


@record(slots=False)
class SavepointContents:
    """A savepoint and its operators, in the order of the file."""

    path: str
    metadata: Metadata
    operators: tuple[OperatorContents, ...]
    missing_files: tuple[str, ...]  # state files that should lie in the savepoint's folder
    backend: str | None  # the state backends it restores into, where it is not any

    @cached_property
    def by_id(self) -> dict[str, OperatorContents]:
        """The operators by their id."""
        return {operator.saved.id: operator for operator in self.operators}

    def to_dict(self) -> dict[str, Any]:
        """The contents as JSON-ready data."""
        metadata = self.metadata
        return {
            "savepoint": self.path,
            "version": metadata.version,
            "checkpoint_id": metadata.checkpoint_id,
            "taken_as": metadata.taken_as,
            "format": metadata.format,
            "state_backend": self.backend,
            "size": sum(operator.saved.size for operator in self.operators),
            "operators": [operator.to_dict() for operator in self.operators],
            "master_states": list(metadata.master_states),
            "missing_files": list(self.missing_files),
        }


def describe_savepoint(savepoint: Savepoint) -> SavepointContents:
    """The contents of a savepoint."""
    operators = savepoint.metadata.operators
    return SavepointContents(
        path=str(savepoint.path),
        metadata=savepoint.metadata,
        operators=tuple(_operator(savepoint, saved) for saved in operators),
        missing_files=tuple(dict.fromkeys(_missing(savepoint))),
        backend=_backend(operators),
    )


def _operator(savepoint: Savepoint, saved: SavedOperator) -> OperatorContents:
    found: dict[NamedState, None] = {}
    complete, serializer = True, None
    for subtask in saved.subtasks:
        found.update(dict.fromkeys(_operator_states(subtask)))
        for state in (subtask.managed_keyed, subtask.raw_keyed):
            if state is None:
                continue
            described = list(_descriptions(savepoint, state))
            complete = complete and None not in described and state.kind != "changes in files"
            for text in described:
                found.update(dict.fromkeys(find_named_states(text or b"")))
                serializer = serializer or find_key_serializer(text or b"")
    return OperatorContents(
        saved=saved,
        kinds=tuple(word for word, name in _KINDS if any(getattr(subtask, name) for subtask in saved.subtasks)),
        states=tuple(sorted(found, key=_in_order)),
        all_named=complete,
        key_serializer=serializer,
    )


def _in_order(state: NamedState) -> tuple[bool, str, str]:
    return state.timers, state.name, state.kind


def _operator_states(subtask: SavedSubtask) -> Iterator[NamedState]:
    states: tuple[OperatorState | None, ...] = (subtask.managed_operator, subtask.raw_operator)
    for state in states:
        for name, distribution in state.names if state else ():
            yield NamedState(name=name, kind="OPERATOR", type=distribution)


def _descriptions(savepoint: Savepoint, state: KeyedState) -> Iterator[bytes | None]:
    """The bytes that describe the states; None for those in files that are not here."""
    for stream in state.named_in:
        yield savepoint.beginning(stream, state.header)
    for start, length in state.changes:
        yield savepoint.inline(start, length)


def _streams(operators: tuple[SavedOperator, ...]) -> Iterator[Stream]:
    for operator in operators:
        for subtask in operator.subtasks:
            for state in (subtask.managed_operator, subtask.raw_operator):
                if state and state.stream:
                    yield state.stream
            for keyed in (subtask.managed_keyed, subtask.raw_keyed):
                yield from keyed.streams if keyed else ()
            for channel in (*subtask.input_channels, *subtask.output_channels):
                if channel.stream:
                    yield channel.stream


def _missing(savepoint: Savepoint) -> Iterator[str]:
    for stream in _streams(savepoint.metadata.operators):
        if stream.kind == "relative file" and stream.path and savepoint.file_of(stream) is None:
            yield stream.path


def _backend(operators: tuple[SavedOperator, ...]) -> str | None:
    """The backends that the keyed state restores into, by the kinds of its handles; None: any, or not known."""
    keyed = (subtask.managed_keyed for operator in operators for subtask in operator.subtasks)
    kinds = {state.kind for state in keyed if state}
    if "changelog" in kinds:
        return "changelog"
    if "incremental" in kinds:
        return "rocksdb"
    if "key groups" in kinds:
        return "hashmap"
    return None
