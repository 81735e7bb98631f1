"""Whose state it is that no operator of the new job finds, and which change of the job gave its owner another id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from typing import Literal

from planner.graphs.operator_ids import IdShape, hash_operators, id_shape, uid_hash
from planner.graphs.state import State, state_of
from planner.pipeline import Plan
from planner.records import record
from planner.savepoints.edits import Edit, EditSearch, edits_of
from planner.savepoints.metadata import SavedOperator

__all__ = ["SMALL_JOB", "OwnerCertainty", "StateOwner", "find_origins"]

OwnerCertainty = Literal["certain", "likely"]
_BUDGET = 150_000  # operators hashed: about a second
SMALL_JOB = 100  # operators: in larger jobs only changes around the first id that is not found are tried
_MOST_EDITS = 3
_MOST_UIDS = 20


@record
class StateOwner:
    """The operator of the new job that owned a state, and what was changed since.

    Certain where the changes, taken back, give exactly the saved id. `node` is None where the owner is gone.
    """

    node: int | None
    edits: tuple[Edit, ...]
    certainty: OwnerCertainty
    instead: tuple[Edit, ...] = ()  # other changes that explain the ids as well as the last of `edits`


def find_origins(plan: Plan, saved: Mapping[str, SavedOperator]) -> dict[str, StateOwner]:
    """The origins of the saved operators that the plan's job does not find, by their saved id."""
    known = set(plan.operator_ids.values()) | {node.user_hash for node in plan.stream_graph.nodes}
    missing = {id_: operator for id_, operator in saved.items() if id_ not in known}
    if not missing:
        return {}
    search = _Search(plan, saved, missing)
    search.run()
    search.guess()
    return search.found


@dataclass(slots=True)
class _Step:
    """Changes that were taken back, and the missing ids that the nodes get then."""

    edits: tuple[Edit, ...]
    hits: dict[int, str]
    score: tuple[int, int, int]
    instead: tuple[Edit, ...] = ()


@dataclass(slots=True)
class _Search:
    plan: Plan
    saved: Mapping[str, SavedOperator]
    missing: Mapping[str, SavedOperator]
    found: dict[str, StateOwner] = field(default_factory=dict)
    budget: int = _BUDGET
    states: dict[int, State] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.states = {node.id: state_of(self.plan.job, node) for node in self.plan.stream_graph.nodes}

    def run(self) -> None:
        """Take back the change that explains most, then the next, while ids are missing."""
        shape = id_shape(self.plan.stream_graph, self.plan.obstacles)
        done: tuple[Edit, ...] = ()
        while len(self.found) < len(self.missing) and len(done) < _MOST_EDITS:
            step = self.best(shape, done) or (self.best_pair(shape) if not done else None)
            if step is None:
                return
            done = step.edits
            shape = done[-1].before
            for node, id_ in step.hits.items():
                if self.fits(node, id_) < 0 and self.missing[id_].has_state:
                    continue  # the place in the graph is the same, the operator is not
                real = node if node in self.states else None
                edits = tuple(edit for edit in done[:-1] if real is None or self.is_before(edit, real)) + done[-1:]
                certainty = self.certainty(step, id_)
                self.found[id_] = StateOwner(node=real, edits=edits, certainty=certainty, instead=step.instead)

    def is_before(self, edit: Edit, node: int) -> bool:
        """Whether a change may have touched the id of an operator: one of all operators, at it, or upstream of it."""
        graph = self.plan.stream_graph
        if edit.kind in ("branch added", "chaining off", "chaining on"):
            return True
        places = set(edit.nodes)
        if edit.edge is not None and edit.edge < len(graph.edges):
            places.add(graph.edges[edit.edge].source)
        waiting = [node]
        for at in waiting:  # grows while it is walked
            if at in places:
                return True
            waiting += [graph.edges[e].source for e in graph.in_edges[at] if graph.edges[e].source not in waiting]
        return False

    def best(self, shape: IdShape, done: tuple[Edit, ...]) -> _Step | None:
        edits = takewhile(lambda _: self.budget > 0, edits_of(shape, self.where(shape)))
        return _best(step for edit in edits if (step := self.taken_back((*done, edit))))

    def best_pair(self, shape: IdShape) -> _Step | None:
        """Two changes that explain nothing one at a time; only tried where the job is small."""
        if len(shape.uids) > SMALL_JOB // 5:
            return None
        first = list(edits_of(shape, self.where(shape)))
        pairs = ((one, two) for one in first for two in edits_of(one.before, self.where(one.before)))
        tried = takewhile(lambda _: self.budget > 0, pairs)
        return _best(step for pair in tried if (step := self.taken_back(pair)))

    def where(self, shape: IdShape) -> EditSearch:
        uids = {operator.uid for operator in self.missing.values() if operator.uid and operator.id not in self.found}
        off = (at for at, found in enumerate(self.plan.obstacles) if {o.about for o in found} == {"job"})
        near = None if len(shape.uids) <= SMALL_JOB else self.frontier(shape)
        return EditSearch(saved_uids=tuple(sorted(uids)[:_MOST_UIDS]), switched_off=frozenset(off), near=near)

    def frontier(self, shape: IdShape) -> frozenset[int]:
        """The operators whose ids are not saved though those of their inputs are, and their neighbours."""
        hashes = {node: digest.hex() for node, digest in hash_operators(shape).items()}
        first = [
            node
            for node, id_ in hashes.items()
            if id_ not in self.saved
            and all(hashes.get(shape.ends[edge][0]) in self.saved for edge in shape.inputs[node])
        ]
        around = {
            end for node in first for edge in (*shape.inputs[node], *shape.outputs[node]) for end in shape.ends[edge]
        }
        return frozenset(around.union(first))

    def taken_back(self, edits: tuple[Edit, ...]) -> _Step | None:
        """What the ids say without these changes, or None where they explain nothing."""
        shape = edits[-1].before
        self.budget -= len(shape.uids)
        hashes = hash_operators(shape)
        ids = ((node, digest.hex()) for node, digest in hashes.items())
        hits = {node: id_ for node, id_ in ids if id_ in self.missing and id_ not in self.found}
        if not hits:
            return None
        proofs = [id_ for id_ in hits.values() if not self.by_its_own_uid(edits, id_)]
        fitting = sum(self.fits(node, id_) for node, id_ in hits.items())
        if not proofs and fitting <= 0:
            return None
        return _Step(edits, hits, (len(proofs), fitting, -sum(edit.rank for edit in edits)))

    def by_its_own_uid(self, edits: tuple[Edit, ...], id_: str) -> bool:
        """Whether the id is the saved uid itself, which proves nothing about the operator it was put on."""
        return any(edit.uid is not None and uid_hash(edit.uid).hex() == id_ for edit in edits)

    def certainty(self, step: _Step, id_: str) -> OwnerCertainty:
        return "likely" if self.by_its_own_uid(step.edits, id_) else "certain"

    def fits(self, node: int, id_: str) -> int:
        """How well an operator fits a saved one: by its name where that is saved, and by its kind of state."""
        saved = self.missing[id_]
        if node not in self.states:
            return 0 if saved.has_state else -1
        named = self.plan.stream_graph.by_id[node].name == saved.name
        score = 0 if saved.name is None else 2 if named else -2
        return score + _state_fits(self.states[node], saved)

    def guess(self) -> None:
        """What no change explains belongs to the one operator that fits and finds no state of its own."""
        taken = {origin.node for origin in self.found.values()}
        nodes = self.plan.stream_graph.nodes
        free = [
            node.id
            for node in nodes
            if node.id not in taken
            and node.user_hash not in self.saved
            and self.plan.operator_ids[node.id] not in self.saved
        ]
        rest = [id_ for id_, each in self.missing.items() if id_ not in self.found and each.has_state]
        wanted: dict[int, list[str]] = {}
        for id_ in rest:
            fitting = [node for node in free if self.fits(node, id_) > 0]
            if len(fitting) == 1:
                wanted.setdefault(fitting[0], []).append(id_)
        for node, ids in wanted.items():
            if len(ids) == 1:
                self.found[ids[0]] = StateOwner(node=node, edits=(), certainty="likely")


def _best(steps: Iterable[_Step]) -> _Step | None:
    """The step that explains most, with the others of its kind that explain as much."""
    best: _Step | None = None
    equal: list[Edit] = []
    for step in steps:
        if best is None or step.score > best.score:
            best, equal = step, []
        elif step.score == best.score and step.edits[-1].kind == best.edits[-1].kind:
            equal.append(step.edits[-1])
    return replace(best, instead=tuple(equal)) if best else None


def _state_fits(state: State, saved: SavedOperator) -> int:
    """1 where the operator certainly keeps that kind of state, -1 where it certainly does not, else 0."""
    handles = list(chain.from_iterable((each.managed_keyed, each.raw_keyed) for each in saved.subtasks))
    if not saved.has_state:
        return 0
    if any(handles):
        return {"keyed": 1, "operator": -1, "none": -1, "possible": 0}[state]
    return {"keyed": -1, "operator": 1, "none": 0, "possible": 0}[state]
