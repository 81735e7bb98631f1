"""A savepoint for people: what it is, the operators with state, and those without."""

from __future__ import annotations

from collections.abc import Iterator

from cli.render.styled import Line, line, table
from cli.render.words import count, memory_words
from planner.savepoints.contents import OperatorContents, SavepointContents
from planner.savepoints.metadata import Metadata, SavedOperator
from planner.savepoints.state_names import NamedState

__all__ = ["saved_name", "savepoint_lines", "savepoint_words", "states_words"]

_WRITTEN_BY = {2: "1.3", 3: "1.11", 4: "1.15 to 1.20", 5: "2.0", 6: "2.1 or later"}
_BACKENDS = {
    "hashmap": "fits the hashmap state backend",
    "rocksdb": "fits the RocksDB state backend",
    "changelog": "written with a change log",
}
_DISTRIBUTIONS = {"SPLIT_DISTRIBUTE": "list", "UNION": "union list", "BROADCAST": "broadcast"}


def savepoint_lines(contents: SavepointContents) -> list[Line]:
    """The whole savepoint."""
    stateful = [operator for operator in contents.operators if operator.saved.has_state]
    stateless = [operator.saved for operator in contents.operators if not operator.saved.has_state]
    lines: list[Line] = [line((contents.path, "title")), line(f"  {savepoint_words(contents)}")]
    for operator in stateful:
        lines += [(), *_operator(operator)]
    if stateless:
        lines += [(), line(("without state", "title")), *_stateless(stateless)]
    if contents.missing_files:
        lines += [(), line((f"{count(len(contents.missing_files), 'state file')} not in this folder", "warning"))]
        lines += [line(f"  {name}") for name in contents.missing_files[:5]]
    return lines


def savepoint_words(contents: SavepointContents) -> str:
    """What it is, in one line."""
    metadata = contents.metadata
    stateful = sum(operator.saved.has_state for operator in contents.operators)
    size = sum(operator.saved.size for operator in contents.operators)
    parts = [
        f"{_kind(metadata)} {metadata.checkpoint_id}",
        f"of Flink {_WRITTEN_BY[metadata.version]} (format version {metadata.version})",
    ]
    rest = [f"{count(len(contents.operators), 'operator')}, {stateful} with state", memory_words(size)]
    rest += [_BACKENDS[contents.backend]] if contents.backend else []
    return ", ".join([" ".join(parts), *rest])


def _kind(metadata: Metadata) -> str:
    if metadata.taken_as is None:
        return "savepoint or checkpoint"
    return f"{metadata.format} {metadata.taken_as}" if metadata.format else metadata.taken_as


def saved_name(saved: SavedOperator) -> str:
    """A saved operator by its name and uid where the file has them, else by its id."""
    name = saved.name or (f"operator {saved.id}" if saved.uid is None else "operator")
    return f"{name} (uid {saved.uid})" if saved.uid else name


def _operator(operator: OperatorContents) -> Iterator[Line]:
    saved = operator.saved
    yield line((saved_name(saved), "operator"))
    yield line(
        f"  id {saved.id}, parallelism {saved.parallelism} of at most {saved.max_parallelism}, "
        f"{memory_words(saved.size)}"
    )
    yield line(f"  {', '.join(_kinds(operator))}: {states_words(operator)}")
    if operator.key_serializer:
        yield line((f"  keys are written by {operator.key_serializer}", "dim"))


def _kinds(operator: OperatorContents) -> list[str]:
    words = [f"{kind.removeprefix('managed ')}{'s' if 'channel' in kind else ' state'}" for kind in operator.kinds]
    coordinator = ["state of its coordinator"] if operator.saved.coordinator else []
    return [*words, *coordinator]


def states_words(operator: OperatorContents) -> str:
    """The names of the states with their kinds, timers last."""
    words = [_state(state) for state in operator.states]
    if not operator.all_named:
        words.append("names are in a state file that is not here")
    return ", ".join(words) or ("records in flight" if "channel" in " ".join(operator.kinds) else "no names")


def _state(state: NamedState) -> str:
    if state.timers:
        return f"{state.name.removeprefix('_timer_state/')} (timers)"
    type_ = _DISTRIBUTIONS.get(state.type or "", (state.type or "").lower())
    return f"{state.name} ({type_})" if type_ else state.name


def _stateless(operators: list[SavedOperator]) -> list[Line]:
    rows = [
        (
            f"  {saved.name or 'operator'}{' (finished)' if saved.fully_finished else ''}",
            f"uid {saved.uid}" if saved.uid else "",
            (saved.id, "dim"),
            f"parallelism {saved.parallelism} of at most {saved.max_parallelism}",
        )
        for saved in operators
    ]
    return table(rows)
