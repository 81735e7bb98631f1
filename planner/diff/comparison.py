"""Two versions of a job side by side: matched operators and edges, what was added and lost, and which chains broke."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from planner.diff.match import match_operators
from planner.diff.parts import TakenApart, pair_owners, take_apart
from planner.graphs.state_lookup import finds_own_state
from planner.records import record
from planner.snapshots.snapshot import OperatorSnapshot, Snapshot

__all__ = ["BrokenChain", "Comparison", "OperatorPair", "Parts", "compare"]


@record
class OperatorPair:
    """One operator before and after, with its position in either snapshot."""

    old_at: int
    new_at: int
    old: OperatorSnapshot
    new: OperatorSnapshot


@record
class BrokenChain:
    """Two operators that ran in one task and no longer do."""

    cuts: tuple[int, ...]  # positions of the edges between them that do not chain
    source: OperatorPair
    target: OperatorPair
    through: tuple[int, ...]  # new operators in between; empty where the edge itself broke

    @property
    def new_edge(self) -> int:
        """The first edge that broke it."""
        return self.cuts[0]


@record(slots=False)
class Comparison:
    """What became of every operator and edge."""

    old: Snapshot
    new: Snapshot
    operators: tuple[OperatorPair, ...]  # in the new order
    lost: tuple[int, ...]  # positions in old.operators
    added: tuple[int, ...]  # positions in new.operators
    edges: tuple[tuple[int, int], ...]  # positions of the same edge in old.edges and new.edges
    lost_edges: tuple[int, ...]
    added_edges: tuple[int, ...]
    parts: Parts | None = None  # the same with operators that PyFlink merged taken apart; None in that one itself

    @cached_property
    def joined(self) -> frozenset[int]:
        """Lost operators that are parts of other operators now. State is only found under the id of a first part."""
        kept = self.parts.kept if self.parts else frozenset()
        return frozenset(at for at in self.lost if at in kept and self.old.operators[at].state == "none")

    @cached_property
    def split(self) -> frozenset[int]:
        """Added operators that were parts of other operators before."""
        return frozenset(self.added) & (self.parts.known if self.parts else frozenset())

    @cached_property
    def by_old(self) -> Mapping[int, OperatorPair]:
        """The pairs by position in the old version."""
        return {pair.old_at: pair for pair in self.operators}

    @cached_property
    def by_new(self) -> Mapping[int, OperatorPair]:
        """The pairs by position in the new version."""
        return {pair.new_at: pair for pair in self.operators}

    @cached_property
    def old_ids(self) -> frozenset[str]:
        """The operator ids under which the old version kept state."""
        return frozenset(operator.id for operator in self.old.operators)

    def restores(self, pair: OperatorPair) -> bool:
        """Whether Flink gives the operator its own state back: by its uid hash where the old job knew that id."""
        return finds_own_state(pair.new.id, pair.new.user_hash, old_id=pair.old.id, saved=self.old_ids)

    @cached_property
    def orphaned(self) -> tuple[OperatorPair, ...]:
        """The operators that may have kept state and would not find it again."""
        return tuple(p for p in self.operators if p.old.state != "none" and not self.restores(p))

    @cached_property
    def bridged(self) -> frozenset[int]:
        """Lost edges whose ends are now connected through new operators."""
        inputs = _inputs(self.new)
        between = frozenset(self.added)
        return frozenset(
            number
            for number, start, end in self._known(self.lost_edges, self.old, self.by_old)
            if len(_way_through(self.new, inputs, between, start.new_at, end.new_at)) > 1
        )

    @cached_property
    def shortened(self) -> frozenset[int]:
        """Added edges whose ends were connected through operators that are gone."""
        inputs = _inputs(self.old)
        between = frozenset(self.lost)
        return frozenset(
            number
            for number, start, end in self._known(self.added_edges, self.new, self.by_new)
            if len(_way_through(self.old, inputs, between, start.old_at, end.old_at)) > 1
        )

    def _known(
        self, edges: Iterable[int], snapshot: Snapshot, known: Mapping[int, OperatorPair]
    ) -> Iterator[tuple[int, OperatorPair, OperatorPair]]:
        for number in edges:
            start, end = known.get(snapshot.edges[number].source), known.get(snapshot.edges[number].target)
            if start is not None and end is not None:
                yield number, start, end

    @cached_property
    def broken(self) -> tuple[BrokenChain, ...]:
        """The chains that broke, by the old edges that were chained."""
        return tuple(_broken(self))


@record(slots=False)
class Parts:
    """Two versions part by part."""

    old: TakenApart
    new: TakenApart
    comparison: Comparison

    @property
    def kept(self) -> frozenset[int]:
        """The old operators of which a part is in the new version."""
        return frozenset(self.old.owners[pair.old_at] for pair in self.comparison.operators)

    @property
    def known(self) -> frozenset[int]:
        """The new operators of which a part was in the old version."""
        return frozenset(self.new.owners[pair.new_at] for pair in self.comparison.operators)


def compare(old: Snapshot, new: Snapshot) -> Comparison:
    """Match two versions of a job. Of one that Flink exported and one of ours, only what both can know is compared."""
    if old.exported != new.exported:
        old, new = _as_graph(old), _as_graph(new)
    before, after = take_apart(old), take_apart(new)
    matched = match_operators(before.snapshot, after.snapshot)
    parts = Parts(old=before, new=after, comparison=_comparison(before.snapshot, after.snapshot, matched))
    return replace(_comparison(old, new, pair_owners(before.owners, after.owners, matched)), parts=parts)


def _comparison(old: Snapshot, new: Snapshot, matched: Mapping[int, int]) -> Comparison:
    pairs = sorted(
        (
            OperatorPair(old_at=before, new_at=after, old=old.operators[before], new=new.operators[after])
            for before, after in matched.items()
        ),
        key=lambda pair: pair.new_at,
    )
    taken = set(matched.values())
    edges, lost, added = _match_edges(old, new, matched)
    return Comparison(
        old=old,
        new=new,
        operators=tuple(pairs),
        lost=tuple(at for at in range(len(old.operators)) if at not in matched),
        added=tuple(at for at in range(len(new.operators)) if at not in taken),
        edges=edges,
        lost_edges=lost,
        added_edges=added,
    )


def _as_graph(snapshot: Snapshot) -> Snapshot:
    """A version without what an export of Flink's does not have: kinds, code, settings."""
    operators = tuple(
        replace(
            operator,
            kind="operator",
            state="possible" if operator.state == "keyed" else operator.state,
            keyed_by=None,
            does=None,
            output=None,
            declared={},
            written_id=None,
        )
        for operator in snapshot.operators
    )
    return replace(snapshot, operators=operators, declared={}, slots=None)


def _match_edges(
    old: Snapshot, new: Snapshot, matched: Mapping[int, int]
) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...], tuple[int, ...]]:
    """Edges are the same where their ends, their input and their side output are."""
    waiting: dict[tuple[int, int, int, str | None], list[int]] = {}
    for number, edge in enumerate(new.edges):
        waiting.setdefault((edge.source, edge.target, edge.input, edge.side_output), []).append(number)
    same: list[tuple[int, int]] = []
    lost: list[int] = []
    for number, edge in enumerate(old.edges):
        ends = matched.get(edge.source, -1), matched.get(edge.target, -1)
        found = waiting.get((*ends, edge.input, edge.side_output))
        if found:
            same.append((number, found.pop(0)))
        else:
            lost.append(number)
    return tuple(same), tuple(lost), tuple(sorted(number for rest in waiting.values() for number in rest))


def _broken(comparison: Comparison) -> Iterable[BrokenChain]:
    old, new = comparison.old, comparison.new
    for before, after in comparison.edges:
        if old.edges[before].chained and not new.edges[after].chained:
            yield _break(comparison, before, (after,), ())
    inputs = _inputs(new)
    added = frozenset(comparison.added)
    for before in comparison.lost_edges:
        edge = old.edges[before]
        ends = comparison.by_old.get(edge.source), comparison.by_old.get(edge.target)
        if not edge.chained or ends[0] is None or ends[1] is None:
            continue
        way = _way_through(new, inputs, added, ends[0].new_at, ends[1].new_at)
        cuts = tuple(number for number in way if not new.edges[number].chained)
        if cuts:
            yield _break(comparison, before, cuts, tuple(new.edges[number].source for number in way[1:]))


def _inputs(snapshot: Snapshot) -> Mapping[int, list[int]]:
    """By operator, the positions of its input edges."""
    inputs: dict[int, list[int]] = {}
    for number, edge in enumerate(snapshot.edges):
        inputs.setdefault(edge.target, []).append(number)
    return inputs


def _break(comparison: Comparison, before: int, cuts: tuple[int, ...], through: tuple[int, ...]) -> BrokenChain:
    edge = comparison.old.edges[before]
    source, target = comparison.by_old[edge.source], comparison.by_old[edge.target]
    return BrokenChain(cuts=cuts, source=source, target=target, through=through)


def _way_through(
    new: Snapshot, inputs: Mapping[int, list[int]], added: frozenset[int], start: int, end: int
) -> list[int]:
    """The edges of a way from `start` to `end` on which everything in between is new; empty where there is none."""
    onwards: dict[int, int] = {}  # from an operator, the edge that leads to the end
    waiting = [end]
    for at in waiting:  # grows while it is walked
        for number in inputs.get(at, ()):
            source = new.edges[number].source
            if source in onwards or (source != start and source not in added):
                continue
            onwards[source] = number
            waiting.append(source)
        if start in onwards:
            return _follow(new, onwards, start, end)
    return []


def _follow(new: Snapshot, onwards: Mapping[int, int], start: int, end: int) -> list[int]:
    way: list[int] = []
    at = start
    while at != end:
        way.append(onwards[at])
        at = new.edges[onwards[at]].target
    return way
