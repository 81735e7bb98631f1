"""Small changes of a job, taken back one at a time: what the ids would be without each of them.

A generated id is a hash of the graph upstream of it. When taking one change back gives exactly the id that is in the
savepoint, that change is what moved the state, and the operator that gets the id then is the one that owns it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

from planner.graphs.operator_ids import IdShape
from planner.records import record

__all__ = ["Edit", "EditKind", "EditSearch", "edits_of"]

EditKind = Literal[
    "uid added", "uid changed", "chain broken", "chain formed", "chaining off", "chaining on",
    "operator added", "branch added", "operator removed", "output removed",
]  # fmt: skip
# From what a user changes most often, and can be told apart best, to the least.
_RANK: dict[EditKind, int] = {
    "chain broken": 0,
    "chaining off": 0,
    "uid changed": 1,
    "uid added": 1,
    "operator added": 2,
    "branch added": 3,
    "chain formed": 4,
    "chaining on": 4,
    "operator removed": 5,
    "output removed": 6,
}


@record
class Edit:
    """One change of the job since the savepoint, and the shape of the job without it."""

    kind: EditKind
    before: IdShape
    nodes: tuple[int, ...] = ()  # what was added, or got a uid; else the operator that the change is downstream of
    edge: int | None = None  # what was chained or not, or where an operator was
    uid: str | None = None  # of the operator then, where it has another one now, or none

    @property
    def rank(self) -> int:
        """The lower, the more likely where the ids do not decide."""
        return _RANK[self.kind]


@record
class EditSearch:
    """Where to look for changes, and what is known of the job that was saved."""

    saved_uids: tuple[str, ...] = ()  # those that the job no longer has
    switched_off: frozenset[int] = frozenset()  # edges that would chain if the job chained
    near: frozenset[int] | None = None  # only changes at these operators; None: everywhere

    def touches(self, *nodes: int) -> bool:
        """Whether a change at one of these operators is looked for."""
        return self.near is None or not self.near.isdisjoint(nodes)


def edits_of(shape: IdShape, search: EditSearch) -> Iterator[Edit]:
    """All single changes that may have led to this shape."""
    if search.switched_off:
        yield Edit(kind="chaining off", before=replace(shape, chained=shape.chained | search.switched_off))
    yield from _chaining(shape, search)
    yield from _uids(shape, search)
    yield from _added(shape, search)
    yield from _branches(shape)
    yield from _removed(shape, search)


def _chaining(shape: IdShape, search: EditSearch) -> Iterator[Edit]:
    for edge, ends in shape.ends.items():
        if len(shape.inputs[ends[1]]) != 1 or not search.touches(*ends):
            continue
        if edge in shape.chained:
            yield Edit(kind="chain formed", before=replace(shape, chained=shape.chained - {edge}), edge=edge)
        else:
            yield Edit(kind="chain broken", before=replace(shape, chained=shape.chained | {edge}), edge=edge)
    if shape.chained:
        yield Edit(kind="chaining on", before=replace(shape, chained=frozenset()))


def _uids(shape: IdShape, search: EditSearch) -> Iterator[Edit]:
    for node, uid in shape.uids.items():
        if not search.touches(node):
            continue
        for old in search.saved_uids:
            before = replace(shape, uids={**shape.uids, node: old})
            yield Edit(kind="uid changed", before=before, nodes=(node,), uid=old)
        if uid is not None:
            yield Edit(kind="uid added", before=replace(shape, uids={**shape.uids, node: None}), nodes=(node,))


def _added(shape: IdShape, search: EditSearch) -> Iterator[Edit]:
    """Operators with one input that stand between others, each taken out; the rest chained over the gap, or not."""
    for node, into in shape.inputs.items():
        if len(into) == 1 and shape.outputs[node] and search.touches(node):
            for chained in (True, False):
                yield Edit(kind="operator added", before=_without(shape, node, chained=chained), nodes=(node,))


def _without(shape: IdShape, node: int, *, chained: bool) -> IdShape:
    entry = shape.inputs[node][0]
    before = shape.ends[entry][0]
    after = shape.outputs[node]
    ends = {edge: (before if source == node else source, target) for edge, (source, target) in shape.ends.items()}
    del ends[entry]
    outputs = {other: edges for other, edges in shape.outputs.items() if other != node}
    outputs[before] = tuple(each for edge in outputs[before] for each in (after if edge == entry else (edge,)))
    kept = shape.chained - {entry, *after}
    return IdShape(
        sources=shape.sources,
        uids={other: uid for other, uid in shape.uids.items() if other != node},
        ends=ends,
        inputs={other: edges for other, edges in shape.inputs.items() if other != node},
        outputs=outputs,
        chained=kept | frozenset(after if chained else ()),
    )


def _branches(shape: IdShape) -> Iterator[Edit]:
    """What hangs on the rest at one end only: a sink with what leads to it alone, a source likewise, a part apart."""
    seen: set[frozenset[int]] = set()
    for node in shape.uids:
        found = []
        if not shape.outputs[node]:
            found = [frozenset({node}), _line(shape, node, shape.inputs, shape.outputs, 0)]
        elif not shape.inputs[node]:
            found = [_line(shape, node, shape.outputs, shape.inputs, 1), _component(shape, node)]
        for branch in found:
            if branch not in seen and len(branch) < len(shape.uids):
                seen.add(branch)
                yield Edit(kind="branch added", before=_cut(shape, branch), nodes=tuple(sorted(branch)))


def _line(
    shape: IdShape,
    start: int,
    onward: Mapping[int, tuple[int, ...]],
    back: Mapping[int, tuple[int, ...]],
    end: int,
) -> frozenset[int]:
    """The operators from `start` on, up to where another branch joins."""
    branch = [start]
    while len(onward[branch[-1]]) == 1:
        following = shape.ends[onward[branch[-1]][0]][end]
        if len(back[following]) != 1:
            break
        branch.append(following)
    return frozenset(branch)


def _component(shape: IdShape, start: int) -> frozenset[int]:
    """All operators that are connected with one."""
    found = {start}
    waiting = [start]
    for node in waiting:  # grows while it is walked
        for edge in (*shape.inputs[node], *shape.outputs[node]):
            for end in shape.ends[edge]:
                if end not in found:
                    found.add(end)
                    waiting.append(end)
    return frozenset(found)


def _cut(shape: IdShape, nodes: frozenset[int]) -> IdShape:
    ends = {edge: pair for edge, pair in shape.ends.items() if nodes.isdisjoint(pair)}
    return IdShape(
        sources=tuple(node for node in shape.sources if node not in nodes),
        uids={node: uid for node, uid in shape.uids.items() if node not in nodes},
        ends=ends,
        inputs={
            node: tuple(e for e in edges if e in ends) for node, edges in shape.inputs.items() if node not in nodes
        },
        outputs={
            node: tuple(e for e in edges if e in ends) for node, edges in shape.outputs.items() if node not in nodes
        },
        chained=shape.chained & ends.keys(),
    )


def _removed(shape: IdShape, search: EditSearch) -> Iterator[Edit]:
    """Operators that are gone: one on every edge, and one more downstream of every operator, chained or not."""
    for edge, ends in shape.ends.items():
        if search.touches(*ends):
            for chained in ((True, True), (True, False), (False, True), (False, False)):
                yield Edit(kind="operator removed", before=_with_operator(shape, edge, *chained), edge=edge)
    for node in shape.uids:
        if search.touches(node):
            for chain in (True, False):
                yield Edit(kind="output removed", before=_with_output(shape, node, chained=chain), nodes=(node,))


def _with_operator(shape: IdShape, edge: int, chained_in: bool, chained_out: bool) -> IdShape:
    node, added = max(shape.uids) + 1, max(shape.ends) + 1
    before, after = shape.ends[edge]
    chained = shape.chained - {edge}
    return IdShape(
        sources=shape.sources,
        uids={**shape.uids, node: None},
        ends={**shape.ends, edge: (before, node), added: (node, after)},
        inputs={
            **shape.inputs,
            node: (edge,),
            after: tuple(added if each == edge else each for each in shape.inputs[after]),
        },
        outputs={**shape.outputs, node: (added,)},
        chained=chained | ({edge} if chained_in else set()) | ({added} if chained_out else set()),
    )


def _with_output(shape: IdShape, at: int, *, chained: bool) -> IdShape:
    node, added = max(shape.uids) + 1, max(shape.ends, default=0) + 1
    return IdShape(
        sources=shape.sources,
        uids={**shape.uids, node: None},
        ends={**shape.ends, added: (at, node)},
        inputs={**shape.inputs, node: (added,)},
        outputs={**shape.outputs, at: (*shape.outputs[at], added), node: ()},
        chained=shape.chained | ({added} if chained else frozenset()),
    )
