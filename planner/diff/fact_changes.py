"""What changed in the facts that a job declares, and in the parts of operators that PyFlink merged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from planner.diff.change import Change, Level
from planner.diff.comparison import Comparison, OperatorPair
from planner.diff.levels import Row, job_row, row_of
from planner.diff.parts import TakenApart, own_facts
from planner.snapshots.declared import Facts
from planner.snapshots.snapshot import OperatorSnapshot, Snapshot

__all__ = ["fact_changes", "part_changes"]

# Declared facts that Flink may decide otherwise: they are told by what became of them.
_SEEN: Final[Mapping[str, Callable[[OperatorSnapshot], object]]] = {
    "parallelism": lambda operator: operator.parallelism,
    "max-parallelism": lambda operator: operator.max_parallelism,
    "slot-sharing-group": lambda operator: operator.group,
}
# The same of the whole job, under Flink's own keys.
_JOB_OPTIONS: Final = {
    "options.parallelism.default": "parallelism",
    "options.pipeline.max-parallelism": "max-parallelism",
}
_PARTITION: Final = re.compile(r"(input \d+ )?partition")
_CODE: Final = re.compile(r"(?:^| )code\.")


def fact_changes(comparison: Comparison) -> Iterator[Change]:
    """Every declared fact that differs: of the operators that are the same in both versions, and of the job."""
    assert comparison.parts is not None
    parts = comparison.parts
    for part in parts.comparison.operators:
        place = parts.new.place(part.new_at)
        yield from _of_pair(comparison, part, (part.old.declared, part.new.declared), place)
    for pair in comparison.operators:
        facts = [own_facts(side.declared, of_input=True) for side in (pair.old, pair.new)]
        yield from _of_pair(comparison, pair, (facts[0], facts[1]), (pair.new_at, ""))
    yield from _of_job(comparison)


def _of_pair(
    comparison: Comparison, pair: OperatorPair, facts: tuple[Facts | None, Facts | None], place: tuple[int, str]
) -> Iterator[Change]:
    """What differs in one operator, or in one part of it: `place` is the operator's position, and which part."""
    if facts[0] is None or facts[1] is None:
        return
    stateful = pair.old.state != "none"
    differing = _differing(facts[0], facts[1])
    other_windows = any(_breaks_windows(name, stateful, before, after) for name, before, after in differing)
    for name, before, after in differing:
        seen = _SEEN.get(name)
        if seen is not None and seen(pair.old) != seen(pair.new):
            continue  # told by its effect
        if _PARTITION.fullmatch(name) and _read_by(comparison.old, pair.old_at) != _read_by(
            comparison.new, pair.new_at
        ):
            continue  # told by the edges; otherwise Flink does the same without being asked
        row = row_of(name)
        level = row.level(stateful, before, after)
        if row.kind == "window" and level == "result" and other_windows:
            row = replace(row, words="")  # no open window is found that could keep anything
        if row.kind == "state-descriptor" and before is None:
            level = "result"  # a new state begins empty
        if stateful and row.kind == "state-ttl" and None in (before, after) and not comparison.new.keeps_ttl:
            level = "state-breaking"
        subject = comparison.new.operators[place[0]].label
        yield _fact(row, level, f"{place[1]}{name}", before, after, subject, place[0])


def _breaks_windows(name: str, stateful: bool, before: str | None, after: str | None) -> bool:
    row = row_of(name)
    return row.kind == "window" and row.level(stateful, before, after) == "state-breaking"


def part_changes(comparison: Comparison) -> Iterator[Change]:
    """Parts that came or went, in operators of which another part is in both versions."""
    assert comparison.parts is not None
    old, new = comparison.parts.old, comparison.parts.new
    for part in comparison.parts.comparison.lost:
        owner = old.owners[part]
        pair = comparison.by_old.get(owner)
        if pair is not None:
            yield _part(old, part, "removed", pair.new.label, pair.new_at)
        elif owner in comparison.joined:
            yield _part(old, part, "removed", comparison.old.operators[owner].label, None)
    for part in comparison.parts.comparison.added:
        owner = new.owners[part]
        if owner in comparison.by_new or owner in comparison.split:
            yield _part(new, part, "added", comparison.new.operators[owner].label, owner)


def _part(side: TakenApart, part: int, kind: str, subject: str, at: int | None) -> Change:
    operator = side.snapshot.operators[part]
    does = f": {operator.does}" if operator.does else ""
    removed = kind == "removed"
    return Change(
        level="state-breaking" if removed and operator.state != "none" else "result",
        part="operator",
        kind=f"part-{kind}",
        subject=subject,
        message=f"{subject}: part {side.numbers[part]}, {operator.name}, was {kind}{does}",
        before=operator.name if removed else None,
        after=None if removed else operator.name,
        at=at,
        fact=f"part {side.numbers[part]}",
    )


def _of_job(comparison: Comparison) -> Iterator[Change]:
    old, new = comparison.old, comparison.new
    if old.declared is None or new.declared is None:
        yield Change(
            level="result", part="job", kind="not-compared", subject=new.name,
            message="one version was recorded by an earlier plan, which kept no settings and no code: only operators, "
            "edges and ids were compared. Record it again, once, on the revision that is deployed",
        )  # fmt: skip
        return
    stateful = any(operator.state != "none" for operator in old.operators)
    told = {change[0] for change in _differing(old.declared, new.declared)}
    for name, before, after in _differing(old.declared, new.declared):
        if name == "call enable_checkpointing" and any(
            one.startswith("options.execution.checkpointing") for one in told
        ):
            continue  # the same call, once as it was written and once as the option that it sets
        if name == "planned-for" or (name == "runtime-mode" and old.mode != new.mode):
            continue  # told by what they do to the plan, or by the section on Flink's versions
        seen = _SEEN.get(_JOB_OPTIONS.get(name, name))
        if seen is not None and any(seen(pair.old) != seen(pair.new) for pair in comparison.operators):
            continue  # told by the operators, on which it has its effect
        row = job_row(name)
        yield _fact(row, row.level(stateful, before, after), name, before, after, new.name, None)


def _read_by(snapshot: Snapshot, at: int) -> list[str]:
    """How records reach an operator."""
    return sorted(edge.partitioner for edge in snapshot.edges if edge.target == at)


def _differing(old: Facts, new: Facts) -> list[tuple[str, str | None, str | None]]:
    """The facts that differ. Pieces of code that came or went say nothing where the code that calls them differs."""
    names = sorted(name for name in {**old, **new} if old.get(name) != new.get(name))
    both = [name for name in names if not _CODE.search(name) or (name in old and name in new)]
    return [(name, old.get(name), new.get(name)) for name in (both or names)]


def _fact(
    row: Row, level: Level, name: str, before: str | None, after: str | None, subject: str, at: int | None
) -> Change:
    code = _CODE.search(name)
    if code and _is_hash(before) and _is_hash(after):
        told = f"the code of {name[code.end() :]} changed"
    else:
        shown = ["unset" if value is None else value for value in (before, after)]
        told = f"{name[code.end() :] if code else name} {shown[0]} -> {shown[1]}"
    return Change(
        level=level,
        part="operator" if at is not None else "job",
        kind=row.kind,
        subject=subject,
        message=f"{subject}: {told}" + (f" ({row.words})" if row.words and level == row.stateful else ""),
        before=before,
        after=after,
        at=at,
        fact=name,
    )


def _is_hash(value: str | None) -> bool:
    return value is None or re.fullmatch("[0-9a-f]{12}", value) is not None
