"""Why an operator's generated id changed: its own uid, a chain, an operator upstream, or only the numbering."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from planner.diff.comparison import Comparison, OperatorPair
from planner.records import record
from planner.snapshots.snapshot import Snapshot
from planner.topology import topological_order

CauseKind = Literal["uid", "chain", "added", "lost", "inputs", "order"]
# From what a reader can act on most directly to what only Flink's numbering explains.
_RANK: dict[CauseKind, int] = {"uid": 0, "chain": 1, "added": 2, "lost": 3, "inputs": 4, "order": 5}


@record
class IdCause:
    """The change that an id came from, and the operator where it happened (position in the new version)."""

    kind: CauseKind
    at: int
    edge: int | None = None  # of a chain that broke or formed: position in the new edges; None: it has not got it
    formed: bool = False
    operators: tuple[str, ...] = ()  # added or lost, or no longer next to it, by name
    downstream: bool = False  # they read the operator, rather than it them
    merging: bool = False  # they are in both versions, and PyFlink merges them in one only


def find_id_causes(comparison: Comparison) -> Mapping[int, IdCause]:
    """The cause for every matched operator whose id changed, by position in the new version."""
    new = comparison.new
    inputs: dict[int, list[int]] = {}
    for edge in new.edges:
        inputs.setdefault(edge.target, []).append(edge.source)
    own = _OwnCauses(comparison)
    causes: dict[int, IdCause] = {}
    ends = [(edge.source, edge.target) for edge in new.edges]
    for at in topological_order(range(len(new.operators)), ends):
        pair = comparison.by_new.get(at)
        if pair is None or pair.old.id == pair.new.id:
            continue
        found = [*own.of(pair), *(causes[source] for source in inputs.get(at, ()) if source in causes)]
        if not found or (pair.new.uid is not None and found[0].kind != "uid"):
            found = [IdCause(kind="order", at=at)]
        causes[at] = min(found, key=lambda cause: _RANK[cause.kind])
    return causes


class _OwnCauses:
    """What changed at one operator itself."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.old_chained = _chained_outputs(comparison.old)
        self.new_chained = _chained_outputs(comparison.new)
        self.same_edge = dict(comparison.edges)
        self.kept_edges = frozenset(self.same_edge.values())
        self.added_inputs: dict[int, list[int]] = {}
        self.lost_inputs: dict[int, list[int]] = {}
        for number in comparison.added_edges:
            edge = comparison.new.edges[number]
            self.added_inputs.setdefault(edge.target, []).append(edge.source)
        for number in comparison.lost_edges:
            edge = comparison.old.edges[number]
            self.lost_inputs.setdefault(edge.target, []).append(edge.source)

    def of(self, pair: OperatorPair) -> Iterator[IdCause]:
        if pair.old.uid != pair.new.uid:
            yield IdCause(kind="uid", at=pair.new_at)
        before, after = self.old_chained.get(pair.old_at, []), self.new_chained.get(pair.new_at, [])
        if len(before) != len(after):
            yield self.outputs(pair, before, after)
        yield from self.inputs(pair)

    def outputs(self, pair: OperatorPair, before: list[int], after: list[int]) -> IdCause:
        """An edge of both versions whose verdict changed, else the operator downstream that came or went."""
        still = {self.same_edge[number] for number in before if number in self.same_edge}
        changed = still.symmetric_difference(number for number in after if number in self.kept_edges)
        formed = len(after) > len(before)
        if changed:
            return IdCause(kind="chain", at=pair.new_at, edge=min(changed), formed=formed)
        snapshot, edges = (self.comparison.new, after) if formed else (self.comparison.old, before)
        gone = [
            number for number in edges if (number not in self.kept_edges if formed else number not in self.same_edge)
        ]
        targets = [snapshot.edges[number].target for number in gone]
        known = self.comparison.by_new if formed else self.comparison.by_old
        kept = all(target in known for target in targets)  # it is there in both versions, and chained in one
        merged = self.comparison.split if formed else self.comparison.joined
        return IdCause(
            kind="chain" if kept else "added" if formed else "lost",
            at=pair.new_at,
            formed=formed,
            operators=tuple(snapshot.operators[target].name for target in targets),
            downstream=True,
            merging=merged.issuperset(targets),
        )

    def inputs(self, pair: OperatorPair) -> Iterator[IdCause]:
        comparison = self.comparison
        added = [at for at in self.added_inputs.get(pair.new_at, ()) if at not in comparison.by_new]
        lost = [at for at in self.lost_inputs.get(pair.old_at, ()) if at not in comparison.by_old]
        if added:
            names = tuple(comparison.new.operators[at].name for at in added)
            merging = comparison.split.issuperset(added)
            yield IdCause(kind="added", at=pair.new_at, operators=names, merging=merging)
        elif lost:
            names = tuple(comparison.old.operators[at].name for at in lost)
            merging = comparison.joined.issuperset(lost)
            yield IdCause(kind="lost", at=pair.new_at, operators=names, merging=merging)
        elif self.added_inputs.get(pair.new_at) or self.lost_inputs.get(pair.old_at):
            yield IdCause(kind="inputs", at=pair.new_at)


def _chained_outputs(snapshot: Snapshot) -> Mapping[int, list[int]]:
    """By operator, the chained output edges that Flink counts in a generated id: those into a single input."""
    arriving = [0] * len(snapshot.operators)
    for edge in snapshot.edges:
        arriving[edge.target] += 1
    found: dict[int, list[int]] = {}
    for number, edge in enumerate(snapshot.edges):
        if edge.chained and arriving[edge.target] == 1:
            found.setdefault(edge.source, []).append(number)
    return found
