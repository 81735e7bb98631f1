"""What changed between two versions, each change marked safe, performance, result or state-breaking.

A change is state-breaking when a job restored from the old version would not start, would lose state, or would read
state that means something else. Where that cannot be known it counts as state-breaking: a false "safe" is never right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from planner.diff.change import LEVELS, Change, Level
from planner.diff.comparison import Comparison, OperatorPair
from planner.diff.compatibility import comparable_kinds, incompatibilities
from planner.diff.fact_changes import fact_changes, part_changes
from planner.diff.id_causes import find_id_causes
from planner.diff.id_words import cause_in_words
from planner.diff.parts import TakenApart
from planner.diff.record_types import kept_types
from planner.graphs.state import describe_state
from planner.graphs.state_lookup import state_id
from planner.job import MEANINGFUL
from planner.operators import without_counters
from planner.snapshots.snapshot import EdgeSnapshot, OperatorSnapshot, Snapshot

__all__ = ["LEVELS", "Change", "Level", "find_changes", "job_change"]


def find_changes(comparison: Comparison) -> tuple[Change, ...]:
    """All changes, the gravest first, then in the order of the new version."""
    found = [
        *_job(comparison),
        *_lost(comparison),
        *_state(comparison),
        *_record_types(comparison),
        *_added(comparison),
        *part_changes(comparison),
        *(change for pair in comparison.operators for change in _settings(pair)),
        *_names(comparison),
        *fact_changes(comparison),
        *_chains(comparison),
        *_edges(comparison),
        *_new_exchanges(comparison),
        *_slots(comparison),
    ]
    return tuple(sorted(found, key=lambda change: LEVELS.index(change.level)))


def job_change(old: Snapshot | None, new: Snapshot | None) -> Change:
    """A whole job that is only in one of the versions."""
    if old is None and new is not None:
        return Change(
            level="result", part="job", kind="added", subject=new.name, message=f"the job {new.name!r} was added"
        )
    assert old is not None
    stateful = any(operator.state != "none" for operator in old.operators)
    return Change(
        level="state-breaking" if stateful else "result",
        part="job",
        kind="removed",
        subject=old.name,
        message=f"the job {old.name!r} was removed",
    )


def _job(comparison: Comparison) -> Iterator[Change]:
    old, new = comparison.old, comparison.new
    if old.mode != new.mode:
        yield Change(
            level="state-breaking",
            part="job",
            kind="runtime-mode",
            subject=new.name,
            message=f"runtime mode {old.mode} -> {new.mode}: a batch job keeps no state",
            before=old.mode,
            after=new.mode,
        )
    if old.name != new.name:
        yield Change(
            level="safe",
            part="job",
            kind="renamed",
            subject=new.name,
            message=f"the job {old.name!r} is called {new.name!r}",
            before=old.name,
            after=new.name,
        )


def _lost(comparison: Comparison) -> Iterator[Change]:
    for at in comparison.lost:
        lost = comparison.old.operators[at]
        if at in comparison.joined:
            yield _merging(lost, "joined", "is merged with its neighbours now")
            continue
        stateful = lost.state != "none"
        yield Change(
            level="state-breaking" if stateful else "result",
            part="operator",
            kind="removed",
            subject=lost.label,
            message=f"{lost.label} was removed"
            + (f": its {describe_state(lost.state)} under {lost.id} has no operator any more" if stateful else ""),
            before=lost.id,
        )


def _added(comparison: Comparison) -> Iterator[Change]:
    kept_state = {old.id: old for old in comparison.old.operators if old.state != "none"}
    for at in comparison.added:
        new = comparison.new.operators[at]
        if at in comparison.split:
            yield _merging(new, "split", "is no longer merged with its neighbours", at)
            continue
        other = kept_state.get(state_id(new.id, new.user_hash, kept_state))
        yield Change(
            level="state-breaking" if other else "result",
            part="operator",
            kind="added",
            subject=new.label,
            message=f"{new.label} was added"
            + (f", with the id {other.id} under which {other.label} kept its state" if other else ""),
            after=new.id,
            at=at,
        )


def _merging(operator: OperatorSnapshot, kind: str, words: str, at: int | None = None) -> Change:
    """An operator that PyFlink merges in one version only: it computes the same, in another process."""
    message = f"{operator.label} {words}"
    return Change(level="performance", part="operator", kind=kind, subject=operator.label, message=message, at=at)


def _state(comparison: Comparison) -> Iterator[Change]:
    """Ids first: only state that is found again can be incompatible."""
    causes = find_id_causes(comparison)
    for pair in comparison.operators:
        if not comparison.restores(pair):
            yield _id_change(pair, cause_in_words(comparison, pair, causes.get(pair.new_at)))
            continue
        for reason in incompatibilities(pair):
            stateful = pair.old.state != "none" or reason.what in ("max parallelism", "parallelism")
            yield Change(
                level="state-breaking" if stateful else "result",
                part="state",
                kind=reason.what.replace(" ", "-"),
                subject=pair.new.label,
                message=f"{pair.new.label}: {reason.text}",
                before=reason.before,
                after=reason.after,
                at=pair.new_at,
                advice=reason.advice,
            )


def _record_types(comparison: Comparison) -> Iterator[Change]:
    """State keeps records: those of another type do not fit, wherever upstream the type was changed."""
    old, new = kept_types(comparison.old), kept_types(comparison.new)
    for pair in comparison.operators:
        before, after = old[pair.old_at], new[pair.new_at]
        if before and after and before != after and pair.old.state in ("keyed", "operator"):
            yield Change(
                level="state-breaking",
                part="state",
                kind="record-type",
                subject=pair.new.label,
                message=f"{pair.new.label} keeps records of another type: "
                f"{' and '.join(before)} -> {' and '.join(after)}",
                before=list(before),
                after=list(after),
                at=pair.new_at,
            )


def _id_change(pair: OperatorPair, cause: str) -> Change:
    stateful = pair.old.state != "none"
    loss = f"a restored job would lose its {describe_state(pair.old.state)}" if stateful else "it keeps no state"
    kept = " A uid would have kept its id." if stateful and pair.old.uid is None and pair.new.uid is None else ""
    return Change(
        level="state-breaking" if stateful else "safe",
        part="state",
        kind="operator-id",
        subject=pair.new.label,
        message=f"the operator id of {pair.new.label} changed: {loss}. {cause}{kept}",
        before=pair.old.id,
        after=pair.new.id,
        at=pair.new_at,
    )


def _settings(pair: OperatorPair) -> Iterator[Change]:
    old, new = pair.old, pair.new
    stateful = old.state != "none"
    if comparable_kinds(old.kind, new.kind):
        yield from _setting(pair, "kind", "it was a", old.kind, new.kind, "result")
    beyond = new.parallelism > old.effective_max_parallelism >= old.parallelism  # told as what state does not fit
    if old.parallelism != new.parallelism and not beyond:
        yield from _setting(pair, "parallelism", "parallelism", old.parallelism, new.parallelism, "performance")
    if old.max_parallelism != new.max_parallelism and old.effective_max_parallelism == new.max_parallelism:
        yield from _setting(pair, "max-parallelism", "max parallelism", None, new.max_parallelism, "safe")
    elif new.max_parallelism < 0 < old.max_parallelism:
        yield from _setting(pair, "max-parallelism", "max parallelism", old.max_parallelism, None, "safe")
    if old.id == new.id:
        yield from _setting(pair, "uid-hash", "uid hash", old.user_hash, new.user_hash, "safe")
    yield from _setting(pair, "slot-sharing-group", "slot sharing group", old.group, new.group, "performance")
    if old.declared is None or new.declared is None:
        level: Level = "state-breaking" if stateful else "result"
        yield from _setting(pair, "behaviour", "what it does:", old.does, new.does, level)


def _names(comparison: Comparison) -> Iterator[Change]:
    """Operators that are called otherwise; those that PyFlink merged, part by part."""
    assert comparison.parts is not None
    for part in comparison.parts.comparison.operators:
        before, after = part.old.name, part.new.name
        if without_counters(before) != without_counters(after):
            at, label = comparison.parts.new.place(part.new_at)
            pair = replace(part, new_at=at, new=comparison.new.operators[at])
            yield from _setting(pair, "renamed", f"{label}name", before, after, "safe")


def _setting(pair: OperatorPair, kind: str, words: str, before: Any, after: Any, level: Level) -> Iterator[Change]:
    if before != after:
        shown = [("unset" if value is None else str(value)) for value in (before, after)]
        yield Change(
            level=level,
            part="operator",
            kind=kind,
            subject=pair.new.label,
            message=f"{pair.new.label}: {words} {shown[0]} -> {shown[1]}",
            before=before,
            after=after,
            at=pair.new_at,
        )


def _chains(comparison: Comparison) -> Iterator[Change]:
    for broken in comparison.broken:
        ends = f"{broken.source.new.label} -> {broken.target.new.label}"
        between = ", ".join(comparison.new.operators[at].label for at in broken.through)
        yield Change(
            level="performance",
            part="chain",
            kind="broken",
            subject=ends,
            message=f"{ends} no longer chains"
            + (f": {between} {'is' if len(broken.through) == 1 else 'are'} between them now" if between else ""),
            before="chained",
            after="not chained",
            at=broken.target.new_at,
        )
    for before, after in comparison.edges:
        if comparison.new.edges[after].chained and not comparison.old.edges[before].chained:
            ends = _ends(comparison.new, after)
            message = f"{ends} chains now"
            yield Change(level="safe", part="chain", kind="formed", subject=ends, message=message,
                         before="not chained", after="chained", at=comparison.new.edges[after].target)  # fmt: skip


def _edges(comparison: Comparison) -> Iterator[Change]:
    old, new = comparison.old, comparison.new
    for before, after in comparison.edges:
        was, now = old.edges[before].partitioner, new.edges[after].partitioner
        if was != now:
            ends = _ends(new, after)
            level: Level = "result" if MEANINGFUL & {was, now} else "performance"
            yield Change(level=level, part="edge", kind="partitioner", subject=ends, before=was, after=now,
                         message=f"{ends}: {was} -> {now}", at=new.edges[after].target)  # fmt: skip
    lost = [number for number in comparison.lost_edges if number not in comparison.bridged]
    added = [number for number in comparison.added_edges if number not in comparison.shortened]
    yield from _other_side_outputs(comparison, lost, added)
    assert comparison.parts is not None
    parts, within = comparison.parts, comparison.parts.comparison
    still = ({*comparison.lost_edges} - {*lost}, {*comparison.added_edges} - {*added})  # told, or not worth a line
    same = ({at for at, _ in comparison.edges}, {at for _, at in comparison.edges})
    lost = [at for at in within.lost_edges if at not in within.bridged | still[0] | same[0]]
    added = [at for at in within.added_edges if at not in within.shortened | still[1] | same[1]]
    yield from _rewired(parts.old, lost, within.by_old, parts.new, "removed")
    yield from _rewired(parts.new, added, within.by_new, parts.new, "added")


def _new_exchanges(comparison: Comparison) -> Iterator[Change]:
    """Exchanges at inserted operators; one that was there before between the same neighbours is not new."""
    new, added = comparison.new, frozenset(comparison.added)
    kept = [old.partitioner for at in comparison.bridged if not (old := comparison.old.edges[at]).chained]
    for number in comparison.added_edges:
        edge = new.edges[number]
        if edge.chained or not {edge.source, edge.target} & added:
            continue
        if edge.partitioner in kept:
            kept.remove(edge.partitioner)
            continue
        ends = [new.operators[at] for at in (edge.source, edge.target)]
        shown = f"{ends[0].label} -> {ends[1].label}"
        yield Change(
            level="performance",
            part="edge",
            kind="exchange-added",
            subject=shown,
            message=f"{shown}: a new exchange, {edge.partitioner} "
            f"from {ends[0].parallelism} to {ends[1].parallelism} subtasks",
            after=edge.partitioner,
            at=edge.target,
        )


def _other_side_outputs(comparison: Comparison, lost: list[int], added: list[int]) -> Iterator[Change]:
    """Edges that read another output of the same operator; they are taken out of both lists."""
    old, new = comparison.old, comparison.new
    for before in list(lost):
        edge = old.edges[before]
        ends = [comparison.by_old.get(at) for at in (edge.source, edge.target)]
        if ends[0] is None or ends[1] is None:
            continue
        where = (ends[0].new_at, ends[1].new_at, edge.input)
        after = next((at for at in added if _place(new.edges[at]) == where), None)
        if after is None:
            continue
        lost.remove(before)
        added.remove(after)
        shown = [f"side output {tag}" if tag else "the main output" for tag in
                 (edge.side_output, new.edges[after].side_output)]  # fmt: skip
        kept = ends[1].old.state in ("keyed", "operator")
        yield Change(
            level="state-breaking" if kept else "result",
            part="edge",
            kind="side-output",
            subject=_ends(new, after),
            message=f"{_ends(new, after)}: reads {shown[0]} -> {shown[1]}",
            before=edge.side_output,
            after=new.edges[after].side_output,
            at=ends[1].new_at,
        )


def _place(edge: EdgeSnapshot) -> tuple[int, int, int]:
    return edge.source, edge.target, edge.input


def _rewired(
    side: TakenApart, edges: Iterable[int], known: Mapping[int, OperatorPair], new: TakenApart, kind: str
) -> Iterator[Change]:
    """Edges between operators that are in both versions; those of added and removed operators are not reported."""
    for number in edges:
        edge = side.snapshot.edges[number]
        if edge.source in known and edge.target in known:
            target = side.snapshot.operators[edge.target]
            ends = f"{side.label(edge.source)} -> {side.label(edge.target)}"
            kept = target.state in ("keyed", "operator")
            because = f": the state of {target.label} was built from other records"
            yield Change(
                level="state-breaking" if kept else "result",
                part="edge",
                kind=kind,
                subject=ends,
                message=f"the edge {ends} was {kind}{because if kept else ''}",
                at=new.owners[known[edge.target].new_at],
            )


def _ends(snapshot: Snapshot, number: int) -> str:
    edge = snapshot.edges[number]
    return f"{snapshot.operators[edge.source].label} -> {snapshot.operators[edge.target].label}"


def _slots(comparison: Comparison) -> Iterator[Change]:
    before, after = comparison.old.total_slots, comparison.new.total_slots
    if before != after:
        shown = ["undecided" if value is None else str(value) for value in (before, after)]
        fewer = before is not None and after is not None and after < before
        yield Change(
            level="safe" if fewer else "performance",
            part="slots",
            kind="slots",
            subject=comparison.new.name,
            message=f"slots {shown[0]} -> {shown[1]}",
            before=before,
            after=after,
        )
