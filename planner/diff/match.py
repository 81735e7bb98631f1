"""Which operator of the old version is which of the new one.

Operators with a uid are matched by it. The others are matched from the surest evidence to the weakest: the same
operators all the way up and down, all the way up, all the way down, beside an operator that is already matched, the
only one of its name, the same kinds of operators all the way. Flink's operator ids are no evidence: two operators may
exchange theirs, and then each would restore the other's state. Only operators that nothing tells apart are paired by
id.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from planner.operators import without_counters
from planner.snapshots.snapshot import OperatorSnapshot, Snapshot
from planner.topology import topological_order

Label = Callable[[OperatorSnapshot], Hashable]


def _exact(operator: OperatorSnapshot) -> Hashable:
    query = (operator.declared or {}).get("query") or (operator.declared or {}).get("query of state")
    return operator.kind, without_counters(operator.name), operator.keyed_by, operator.does or query


def _named(operator: OperatorSnapshot) -> Hashable:
    return operator.kind, without_counters(operator.name)


def _kind(operator: OperatorSnapshot) -> Hashable:
    return operator.kind


def match_operators(old: Snapshot, new: Snapshot) -> dict[int, int]:
    """Positions of old operators to positions of the new operators that they became."""
    unchanged = _unchanged(old, new)
    if unchanged is not None:
        return unchanged
    matcher = _Matcher(old, new)
    matcher.pair_uids()
    for label in (_exact, _named):
        matcher.pair_by_surroundings(label)
        matcher.spread(label)
    matcher.pair_alike(_exact)
    matcher.pair_alike(_named)
    matcher.pair_only_ones(_named)
    matcher.spread(_kind)
    matcher.pair_by_surroundings(_kind)
    matcher.spread(_kind)
    return matcher.matched


def _unchanged(old: Snapshot, new: Snapshot) -> dict[int, int] | None:
    """The match where every operator has its old key, contents, id and edges: the usual case, and the quickest."""
    at = {operator.key: position for position, operator in enumerate(new.operators)}
    if len(old.operators) != len(new.operators) or len(old.edges) != len(new.edges):
        return None
    matched: dict[int, int] = {}
    for position, operator in enumerate(old.operators):
        found = at.get(operator.key)
        if found is None or operator.id != new.operators[found].id or _exact(operator) != _exact(new.operators[found]):
            return None
        matched[position] = found
    moved = {(matched[e.source], matched[e.target], e.input, e.side_output or "") for e in old.edges}
    return matched if moved == {(e.source, e.target, e.input, e.side_output or "") for e in new.edges} else None


class _Side:
    """One version, with its neighbours in both directions and what is still to be matched."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.operators = snapshot.operators
        self.before: list[list[tuple[int, str | None, int]]] = [[] for _ in self.operators]
        self.after: list[list[tuple[int, str | None, int]]] = [[] for _ in self.operators]
        for edge in snapshot.edges:
            self.before[edge.target].append((edge.input, edge.side_output, edge.source))
            self.after[edge.source].append((edge.input, edge.side_output, edge.target))
        self.free = dict.fromkeys(range(len(self.operators)))  # ordered
        ends = [(edge.source, edge.target) for edge in snapshot.edges]
        self.downwards = topological_order(range(len(self.operators)), ends)

    def cones(self, label: Label, numbers: dict[Hashable, int], *, up: bool) -> list[int]:
        """One number per operator for everything upstream (or downstream) of it; equal cones have equal numbers."""
        neighbours = self.before if up else self.after
        cone = [0] * len(self.operators)
        for position in self.downwards if up else reversed(self.downwards):
            around = sorted((input_, tag or "", cone[other]) for input_, tag, other in neighbours[position])
            shape = (up, label(self.operators[position]), tuple(around))
            cone[position] = numbers.setdefault(shape, len(numbers) + 1)
        return cone


class _Matcher:
    def __init__(self, old: Snapshot, new: Snapshot) -> None:
        self.old, self.new = _Side(old), _Side(new)
        self.matched: dict[int, int] = {}

    def pair(self, old: int, new: int) -> None:
        self.matched[old] = new
        del self.old.free[old]
        del self.new.free[new]

    def pair_uids(self) -> None:
        by_uid = {(o.uid, o.kind.partition(".")[2]): at for at, o in enumerate(self.new.operators) if o.uid is not None}
        for at, operator in enumerate(self.old.operators):
            found = by_uid.get((operator.uid, operator.kind.partition(".")[2])) if operator.uid is not None else None
            if found is not None:
                self.pair(at, found)

    def pair_unique(self, old_keys: Sequence[Hashable], new_keys: Sequence[Hashable]) -> None:
        """Pair the free operators whose key is the only one of its kind on both sides."""
        old, new = _groups(self.old.free, old_keys), _groups(self.new.free, new_keys)
        for key, members in old.items():
            others = new.get(key, ())
            if len(members) == len(others) == 1:
                self.pair(members[0], others[0])

    def pair_by_surroundings(self, label: Label) -> None:
        numbers: dict[Hashable, int] = {}
        old_up, new_up = (side.cones(label, numbers, up=True) for side in (self.old, self.new))
        old_down, new_down = (side.cones(label, numbers, up=False) for side in (self.old, self.new))
        self.pair_unique(list(zip(old_up, old_down, strict=True)), list(zip(new_up, new_down, strict=True)))
        self.pair_unique(old_up, new_up)
        self.pair_unique(old_down, new_down)

    def spread(self, label: Label, start: Iterable[int] | None = None) -> None:
        """Match neighbours of matched operators, from pair to pair, where only one fits."""
        waiting = list(self.matched if start is None else start)
        for at in waiting:  # grows while it is walked
            for old_side, new_side in ((self.old.before, self.new.before), (self.old.after, self.new.after)):
                olds = _by_label(label, self.old, old_side[at])
                news = _by_label(label, self.new, new_side[self.matched[at]])
                for key, members in olds.items():
                    others = news.get(key, ())
                    if len(members) == len(others) == 1 and members[0] in self.old.free and others[0] in self.new.free:
                        self.pair(members[0], others[0])
                        waiting.append(members[0])

    def pair_alike(self, label: Label) -> None:
        """Pair operators that nothing around them tells apart: by their YAML id where the job does not say what they
        do, else by Flink's id, else in order. Each pair decides its neighbours."""
        numbers: dict[Hashable, int] = {}
        shapes = [
            list(zip(side.cones(label, numbers, up=True), side.cones(label, numbers, up=False), strict=True))
            for side in (self.old, self.new)
        ]
        olds, news = _groups(self.old.free, shapes[0]), _groups(self.new.free, shapes[1])
        for shape in (s for s in olds if s in news):
            for key in (_by_written_id, _by_flink_id, None):
                self.pair_within(olds[shape], news[shape], key, label)

    def pair_within(self, olds: Iterable[int], news: Iterable[int], key: Label | None, label: Label) -> None:
        olds = [at for at in olds if at in self.old.free]
        news = [at for at in news if at in self.new.free]
        if key is None:
            candidates = list(zip(olds, news, strict=False))
        else:
            by_key = {key(self.new.operators[at]): at for at in news}
            candidates = [(at, by_key.get(key(self.old.operators[at]), -1)) for at in olds]
            candidates = [
                (old, new) for old, new in candidates if new >= 0 and key(self.old.operators[old]) is not None
            ]
        for old, new in candidates:
            if old in self.old.free and new in self.new.free:
                self.pair(old, new)
                self.spread(label, [old])

    def pair_only_ones(self, label: Label) -> None:
        self.pair_unique([label(o) for o in self.old.operators], [label(o) for o in self.new.operators])


def _by_written_id(operator: OperatorSnapshot) -> Hashable:
    return operator.written_id if operator.does is None else None


def _by_flink_id(operator: OperatorSnapshot) -> Hashable:
    return operator.id


def _groups(free: Iterable[int], keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = {}
    for at in free:
        groups.setdefault(keys[at], []).append(at)
    return groups


def _by_label(
    label: Label, side: _Side, neighbours: Sequence[tuple[int, str | None, int]]
) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = {}
    for input_, tag, other in neighbours:
        if other in side.free:
            found = groups.setdefault((input_, tag, label(side.operators[other])), [])
            if other not in found:
                found.append(other)
    return groups
