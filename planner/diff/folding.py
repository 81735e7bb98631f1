"""Changes by their cause: what is the same on many operators is one line, and what is said of one edge is one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from planner.diff.change import LEVELS, Change, Level, Part
from planner.records import record

__all__ = ["FoldedChange", "fold_changes"]


@record
class FoldedChange:
    """One cause: its message, the operators or edges that it is about, and the changes that it stands for."""

    level: Level
    part: Part
    kind: str
    message: str
    subjects: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def at(self) -> frozenset[int]:
        """The positions of its operators in the new version."""
        return frozenset(change.at for change in self.changes if change.at is not None)

    @property
    def advice(self) -> tuple[str, ...]:
        """What keeps the state, where there is something."""
        return tuple(dict.fromkeys(change.advice for change in self.changes if change.advice))

    def to_dict(self) -> dict[str, Any]:
        """The cause as JSON-ready data."""
        return {
            "level": self.level,
            "part": self.part,
            "kind": self.kind,
            "message": self.message,
            "subjects": list(self.subjects),
        }


def fold_changes(changes: Sequence[Change]) -> tuple[FoldedChange, ...]:
    """The changes by cause, the gravest first, else in their order."""
    groups: dict[tuple[object, ...], list[Change]] = {}
    for change in _one_per_edge(changes):
        groups.setdefault((change.level, change.part, change.kind, _without_subject(change)), []).append(change)
    folded = [_fold(group) for group in groups.values()]
    return tuple(sorted(folded, key=lambda one: LEVELS.index(one.level)))


def _one_per_edge(changes: Sequence[Change]) -> list[Change]:
    """An edge that no longer chains because it is another exchange now is said once, with both."""
    exchanges = {change.subject: change for change in changes if (change.part, change.kind) == ("edge", "partitioner")}
    chains = {change.subject: change for change in changes if change.part == "chain" and change.subject in exchanges}
    found: list[Change] = []
    for change in changes:
        if change.subject in chains and change is exchanges.get(change.subject):
            continue
        if change is chains.get(change.subject):
            exchange = exchanges[change.subject]
            level = min(change.level, exchange.level, key=LEVELS.index)
            words = f"{change.message}, {exchange.before} -> {exchange.after}"
            change = replace(change, level=level, message=words)
        found.append(change)
    return found


def _without_subject(change: Change) -> str:
    return change.message.replace(change.subject, "\0")


def _fold(group: Sequence[Change]) -> FoldedChange:
    first = group[0]
    return FoldedChange(
        level=first.level,
        part=first.part,
        kind=first.kind,
        message=_message(group),
        subjects=tuple(dict.fromkeys(change.subject for change in group)),
        changes=tuple(group),
    )


def _message(group: Sequence[Change]) -> str:
    """The message of one change, with how many it stands for in the place of its subject."""
    first = group[0]
    if len(group) == 1:
        return first.message
    many = f"{len(group)} {'edges' if first.part in ('edge', 'chain') else 'operators'}"
    words = first.message.removeprefix(f"{first.subject}: ")
    if words == first.message:
        return _plural(_without_subject(first)).replace("\0", many)
    if ". " in words:
        return f"{many}: {words}"
    what, bracket, rest = words.partition(" (")
    return f"{what} on {many}{bracket}{rest}"


# The verbs of messages that do not begin with "SUBJECT: ", for one and for several subjects.
_VERBS: Final = (
    ("the edge \0 was", "\0 were"),
    ("\0 was", "\0 were"),
    ("\0 no longer chains", "\0 no longer chain"),
    ("\0 chains now", "\0 chain now"),
    ("the operator id of \0", "the operator ids of \0"),
    ("would lose its", "would lose their"),
    ("\0 keeps records", "\0 keep records"),
    ("it keeps no state", "they keep no state"),
    ("Its uid was removed: the id is", "Their uids were removed: the ids are"),
    ("Its uid is new: until now the id was", "Their uids are new: until now the ids were"),
    ("Its uid changed", "Their uids changed"),
    ("The operator itself was", "The operators themselves were"),
    ("\0 is planned and does not run", "\0 are planned and do not run"),
    ("\0 runs and is not planned: its", "\0 run and are not planned: their"),
)


def _plural(message: str) -> str:
    for one, several in _VERBS:
        message = message.replace(one, several)
    return message
