"""Operators and what they are made of: PyFlink may make one operator of several, and Flink one task.

What stands in one operator of a version may be another's part in the other version. So versions are matched part by
part, and two operators are the same where their first parts are: these have the id and the state. Otherwise they
are where they have the most parts in common.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from planner.records import record
from planner.snapshots.declared import PART, Facts
from planner.snapshots.snapshot import EdgeSnapshot, OperatorSnapshot, Snapshot

__all__ = ["TakenApart", "own_facts", "pair_owners", "take_apart"]

# How records reach an operator: of one that was merged, facts of the whole.
_OF_INPUT: Final = re.compile(r"(input \d+ )?(key|partition|partitioner|side output|overridden-partition)\b(?!-)")


@record
class TakenApart:
    """A version with every part as an operator of its own; by part, the operator that it stands in, and its number."""

    snapshot: Snapshot
    owners: tuple[int, ...]
    numbers: tuple[int, ...]  # from 1

    def is_whole(self, part: int) -> bool:
        """Whether the part is an operator by itself."""
        owner = self.owners[part]
        return self.owners[part - 1 : part] != (owner,) and self.owners[part + 1 : part + 2] != (owner,)

    def place(self, part: int) -> tuple[int, str]:
        """The operator that the part stands in, and how its facts begin."""
        return self.owners[part], "" if self.is_whole(part) else f"part {self.numbers[part]}: "

    def label(self, part: int) -> str:
        """How messages call the part."""
        operator = self.snapshot.operators[part]
        return operator.label if self.is_whole(part) else f"{operator.name} (part {self.numbers[part]})"


def take_apart(snapshot: Snapshot) -> TakenApart:
    """Every merged operator as a run of its parts; all others as they are."""
    parts: list[OperatorSnapshot] = []
    owners: list[int] = []
    numbers: list[int] = []
    edges: list[EdgeSnapshot] = []
    for at, operator in enumerate(snapshot.operators):
        for number, part in enumerate(_parts(operator), start=1):
            if number > 1:
                before = len(parts) - 1
                edges.append(
                    EdgeSnapshot(source=before, target=before + 1, input=0, partitioner="FORWARD", chained=True)
                )
            parts.append(part)
            owners.append(at)
            numbers.append(number)
    last = {owner: part for part, owner in enumerate(owners)}
    first = {owner: part for part, owner in reversed(list(enumerate(owners)))}
    between = [replace(edge, source=last[edge.source], target=first[edge.target]) for edge in snapshot.edges]
    return TakenApart(
        snapshot=replace(snapshot, operators=tuple(parts), edges=(*between, *edges)),
        owners=tuple(owners),
        numbers=tuple(numbers),
    )


def _parts(operator: OperatorSnapshot) -> Iterator[OperatorSnapshot]:
    """The first part has the operator's id, uid, key and state."""
    found: dict[int, dict[str, str]] = {}
    for name, value in (operator.declared or {}).items():
        if (part := PART.match(name)) is not None:
            found.setdefault(int(part[1]), {})[name[part.end() :]] = value
    if not found:
        own = own_facts(operator.declared)
        yield replace(operator, does=(own or {}).get("function", operator.does), declared=own)
    for number, facts in sorted(found.items()):
        first = number == 1
        yield replace(
            operator,
            key=operator.key if first else f"{operator.key} part {number}",
            name=facts.pop("name"),
            kind=facts.pop("kind"),
            id=operator.id if first else f"{operator.id} {number}",
            uid=operator.uid if first else None,
            user_hash=operator.user_hash if first else None,
            state=operator.state if first else "none",
            keyed_by=operator.keyed_by if first else None,
            does=facts.get("function"),
            declared=facts,
        )


def own_facts(declared: Facts | None, *, of_input: bool = False) -> Facts | None:
    """The facts of what an operator does, or those of how records reach it."""
    if declared is None:
        return None
    merged = any(PART.match(name) for name in declared)
    return {
        name: value
        for name, value in declared.items()
        if bool(not PART.match(name) if merged else _OF_INPUT.match(name)) == of_input
    }


def pair_owners(old: Sequence[int], new: Sequence[int], matched: Mapping[int, int]) -> dict[int, int]:
    """Which old owner became which new one, from the match of their parts."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    firsts = [(old[a], new[b]) for a, b in matched.items() if _is_first(old, a) and _is_first(new, b)]
    common = Counter((old[a], new[b]) for a, b in matched.items())
    for before, after in (*firsts, *sorted(common, key=lambda pair: (-common[pair], pair))):
        if before not in pairs and after not in taken:
            pairs[before] = after
            taken.add(after)
    return pairs


def _is_first(owners: Sequence[int], part: int) -> bool:
    return part == 0 or owners[part - 1] != owners[part]
