"""Drift: the diff of a job that was planned and one that Flink described, such as the one that runs.

Both sides are reduced to what a deployment shows: vertices with their chains, numbers, inputs and ids. What one of them
does not tell is not compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from planner.diff.change import LEVELS, Change, Level, Part
from planner.diff.match import match_operators
from planner.diff.parts import TakenApart, pair_owners
from planner.diff.versions import Version
from planner.errors import OptionError
from planner.job import MEANINGFUL
from planner.observed.judgement import Observation
from planner.observed.labels import short_chain_name, taken_sources, with_sources
from planner.operators import without_counters
from planner.pipeline import Plan
from planner.records import record
from planner.snapshots.snapshot import EdgeSnapshot, OperatorSnapshot, Snapshot, take_snapshot
from planner.topology import topological_order

_Inputs = Mapping[tuple[int, str], int]  # how many edges come from a vertex with a ship strategy


@record(slots=False)
class DeployedVertex:
    """One vertex. Names are without the counters that SQL puts into them."""

    id: str | None
    chain: tuple[str, ...]  # the operators' names, head first
    described: tuple[str, ...] = ()  # the same with descriptions, which a job plan has in place of names
    parallelism: int
    max_parallelism: int | None
    inputs: _Inputs

    @property
    def name(self) -> str:
        """How messages name the vertex."""
        return " -> ".join(self.chain) if len(self.chain) <= 3 else f"{self.chain[0]} and {len(self.chain) - 1} chained"


@record(slots=False)
class DeployedOperator:
    """One operator, for comparisons with a stream plan, which knows no chains."""

    name: str
    parallelism: int
    ships: Mapping[str, int]  # how its records arrive
    described: str = ""


@record(slots=False)
class DeployedJob:
    """One side of a comparison."""

    name: str
    vertices: tuple[DeployedVertex, ...]  # empty for a stream plan: its chains are only expected
    operators: tuple[DeployedOperator, ...]
    slots: int | None  # needed; None where the groups are not known
    named: bool = True  # False: a job plan alone, whose names are descriptions
    batch: bool = False  # as far as it is known

    @property
    def in_descriptions(self) -> DeployedJob:
        """The same job with descriptions in place of names."""
        return replace(
            self,
            named=False,
            vertices=tuple(replace(vertex, chain=vertex.described) for vertex in self.vertices),
            operators=tuple(replace(operator, name=operator.described) for operator in self.operators),
        )


def deployed_side(side: Plan | Version, wanted: str | None) -> tuple[DeployedJob, Plan | None]:
    """One side of a comparison: the plan of an export, or a version of jobs; of several the one called `wanted`."""
    if not isinstance(side, Version):
        return deployed_plan(side), side
    called = re.compile(rf"{re.escape(wanted or '')}( #\d+)?")
    named = [number for number, one in enumerate(side.snapshots, 1) if called.fullmatch(one.name)]
    if len(side.snapshots) != 1 and len(named) != 1:
        raise _which(side, wanted, named)
    chosen = side.snapshots[named[0] - 1] if named else side.snapshots[0]
    return deployed_snapshot(chosen), side.plan_of(chosen)


def _which(side: Version, wanted: str | None, named: Sequence[int]) -> OptionError:
    """That none of several jobs has the name of the job that runs, or more than one has."""
    has = f"{side.argument} has {len(side.snapshots)} jobs"
    if not named:
        names = ", ".join(sorted(snapshot.name for snapshot in side.snapshots))
        return OptionError(f"{has}, and none is called {wanted!r}", hint=f"it has {names}")
    if side.is_baseline:
        hint = "give each a name of its own, such as by SET 'pipeline.name', and record the baseline again"
    else:
        hint = f"say which one: {', '.join(f'{side.argument}:{number}' for number in named)}"
    return OptionError(f"{has}, and {len(named)} are called {wanted!r}", hint=hint)


def deployed_plan(plan: Plan) -> DeployedJob:
    """A job that is planned, or that Flink described."""
    return deployed_snapshot(take_snapshot(plan)) if plan.observed is None else deployed_observed(plan.observed)


def deployed_snapshot(snapshot: Snapshot) -> DeployedJob:
    """A job of ours, or of a baseline."""
    taken = _taken(snapshot)
    head = _heads(snapshot, taken)
    heads = list(dict.fromkeys(head))
    members: dict[int, list[int]] = {first: [] for first in heads}
    ends = ((edge.source, edge.target) for edge in snapshot.edges)
    for place in topological_order(range(len(head)), ends):  # a baseline lists its operators by their keys
        members[head[place]].append(place)
    number = {place: count for count, place in enumerate(heads)}
    inputs: list[Counter[tuple[int, str]]] = [Counter() for _ in heads]
    for edge in snapshot.edges:
        if not edge.chained:
            inputs[number[head[edge.target]]][number[head[edge.source]], edge.partitioner] += 1
    vertices = (
        _snapshot_vertex(snapshot, first, members[first], taken, into)
        for first, into in zip(heads, inputs, strict=True)
    )
    ships: list[Counter[str]] = [Counter() for _ in snapshot.operators]
    for edge in snapshot.edges:
        ships[edge.target][edge.partitioner] += 1
    operators = (
        DeployedOperator(name=_plain(one.name), parallelism=one.parallelism, ships=arriving)
        for one, arriving in zip(snapshot.operators, ships, strict=True)
    )
    return DeployedJob(
        name=snapshot.name,
        batch=snapshot.mode == "batch",
        vertices=tuple(vertices),
        operators=tuple(operators),
        slots=snapshot.total_slots,
    )


def _heads(snapshot: Snapshot, taken: set[int]) -> list[int]:
    """By operator, the head of its chain."""
    front = list(range(len(snapshot.operators)))
    for edge in snapshot.edges:
        if edge.source in taken:
            front[edge.source] = edge.target
        elif edge.chained:
            front[edge.target] = edge.source
    found = []
    for place in range(len(front)):
        while front[place] != place:
            front[place] = front[front[place]]
            place = front[place]
        found.append(place)
    return found


def _taken(snapshot: Snapshot) -> set[int]:
    """The sources that a multi-input operator takes into its own task; nothing else with several inputs is chained."""
    inputs = Counter(edge.target for edge in snapshot.edges)
    return {
        edge.source
        for edge in snapshot.edges
        if edge.chained and (inputs[edge.target] > 1 or snapshot.operators[edge.target].kind == "multi_input")
    }


def _snapshot_vertex(
    snapshot: Snapshot, first: int, own: Sequence[int], taken: set[int], inputs: Mapping[tuple[int, str], int]
) -> DeployedVertex:
    names = [_plain(snapshot.operators[one].name) for one in own if one not in taken]
    sources = [_plain(snapshot.operators[one].name) for one in own if one in taken]
    return DeployedVertex(
        id=snapshot.operators[first].id,
        chain=(with_sources(names[0], sources), *names[1:]),
        parallelism=snapshot.operators[first].parallelism,
        max_parallelism=snapshot.operators[first].effective_max_parallelism,
        inputs=inputs,
    )


def _plain(name: str) -> str:
    return with_sources(without_counters(name), ())


def deployed_observed(seen: Observation) -> DeployedJob:
    """A job that Flink described."""
    job = seen.job
    groups: dict[str, int] = {}
    for vertex in job.vertices:
        if vertex.group is not None:
            groups[vertex.group] = max(groups.get(vertex.group, 0), vertex.parallelism)
    return DeployedJob(
        name=job.name,
        named=job.named,
        batch=bool(job.batch),
        vertices=tuple(
            DeployedVertex(
                id=vertex.id,
                chain=tuple(_plain(name) for name in vertex.chain),
                described=tuple(_plain(short_chain_name(label)) for label in vertex.described),
                parallelism=vertex.parallelism,
                max_parallelism=vertex.max_parallelism,
                inputs=Counter((source, _kind(ship)) for source, ship in vertex.inputs),
            )
            for vertex in job.vertices
        ),
        operators=tuple(
            DeployedOperator(
                name=_plain(operator.name),
                described=_plain(short_chain_name(operator.description)),
                parallelism=operator.parallelism,
                ships=Counter(_kind(job.edges[edge].ship) for edge in job.into[place]),
            )
            for place, operator in enumerate(job.operators)
        ),
        slots=sum(groups.values()) if seen.knows_groups else None,
    )


def _kind(ship: str) -> str:
    """The strategy without the columns that SQL writes after it."""
    return ship.split("[")[0]


# By kind of difference, what it is about, and how grave it is. What touches state counts as breaking it: the plan would
# be started with the state of the job that runs.
_KINDS: dict[str, tuple[Part, Level]] = {
    "not deployed": ("operator", "result"),
    "not planned": ("operator", "state-breaking"),
    "id": ("state", "state-breaking"),
    "chain": ("operator", "state-breaking"),
    "parallelism": ("operator", "performance"),
    "max parallelism": ("state", "state-breaking"),
    "ship strategy": ("edge", "performance"),
    "slots": ("slots", "performance"),
}


_SENTENCES = ("not deployed", "not planned")  # their message continues the subject


def _change(kind: str, subject: str, message: str, *, planned: Any = None, running: Any = None) -> Change:
    part, level = _KINDS[kind]
    if kind == "ship strategy" and not MEANINGFUL.isdisjoint((*planned, *running)):
        level = "result"
    return Change(
        level=level,
        part=part,
        kind=kind,
        subject=subject,
        message=f"{subject} {message}" if kind in _SENTENCES else f"{subject}: {message}",
        before=planned,
        after=running,
    )


@record
class Drift:
    """A planned and a running job, and what can be compared of them: exports do not tell everything."""

    planned: DeployedJob
    running: DeployedJob

    @property
    def compared(self) -> tuple[str, ...]:
        """What was compared, in words."""
        parts = ["parallelism", "ship strategies"]
        if self.planned.vertices and self.running.vertices:
            sides = (self.planned.vertices, self.running.vertices)
            limited = all(any(vertex.max_parallelism for vertex in side) for side in sides)
            parts = ["chains", "ids", *parts[:1], *(["max parallelism"] if limited else []), *parts[1:]]
            if _both_batch(self.planned, self.running):
                parts = [part for part in parts if part not in ("ids", "max parallelism")]
        if self.planned.slots is not None and self.running.slots is not None:
            parts.append("slots")
        return tuple(parts)

    def to_dict(self, changes: Sequence[Change]) -> dict[str, Any]:
        """The comparison as JSON-ready data, besides what every diff has."""
        return {
            "same": not changes,
            "vertices": {"planned": len(self.planned.vertices), "running": len(self.running.vertices)},
            "drift": [
                {
                    "kind": change.kind,
                    "subject": change.subject,
                    "message": change.message.removeprefix(change.subject).lstrip(": "),
                    "planned": change.before,
                    "running": change.after,
                    "state": change.level == "state-breaking",
                }
                for change in changes
            ],
            "state": any(change.level == "state-breaking" for change in changes),
        }


def _both_batch(planned: DeployedJob, running: DeployedJob) -> bool:
    """Flink makes the vertices of a batch job while it runs, each with an id and a max parallelism of that moment.

    There is no state that an id would find.
    """
    return planned.batch and running.batch


def find_drift(planned: DeployedJob, running: DeployedJob) -> tuple[Change, ...]:
    """All differences, the gravest first."""
    planned, running = _in_the_same_words(planned, running)
    if planned.vertices and running.vertices:
        found = list(_vertices(planned, running))
    else:  # a stream plan does not know its chains: operators are compared
        found = list(_operators(planned, running))
    found += _slots(planned, running)
    return tuple(sorted(found, key=lambda change: LEVELS.index(change.level)))


def _in_the_same_words(planned: DeployedJob, running: DeployedJob) -> tuple[DeployedJob, DeployedJob]:
    """Both jobs with names; where one has only descriptions and the other has them too, with descriptions."""
    described = all(all(operator.described for operator in side.operators) for side in (planned, running))
    if described and not (planned.named and running.named):
        return planned.in_descriptions, running.in_descriptions
    return planned, running


def _vertices(planned: DeployedJob, running: DeployedJob) -> Iterator[Change]:
    named = planned.named == running.named
    pairs = _paired(*(_graph([(v.id, v.chain, v.inputs) for v in side.vertices], named) for side in (planned, running)))
    back = {new: old for old, new in pairs.items()}
    for place, vertex in enumerate(planned.vertices):
        if place in pairs:
            yield from _pair(vertex, running.vertices[pairs[place]], planned, running, back)
        elif not _both_batch(planned, running):
            yield _change("not deployed", vertex.name, "is planned and does not run", planned=vertex.id)
    for place, vertex in enumerate(running.vertices):
        if place not in back:
            message = "runs and is not planned: its state would be lost"
            yield _change("not planned", vertex.name, message, running=vertex.id)


def _paired(old: TakenApart, new: TakenApart) -> dict[int, int]:
    """Which vertex is which: matched as two versions of a job are, by the operators that are in them."""
    return pair_owners(old.owners, new.owners, match_operators(old.snapshot, new.snapshot))


def _graph(vertices: Iterable[tuple[str | None, Sequence[str], _Inputs]], named: bool = True) -> TakenApart:
    """Vertices (their ids, chains and inputs) as a version to be matched. An id is one that Flink finds state by."""
    operators: list[OperatorSnapshot] = []
    owners: list[int] = []
    entering: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    for at, (id_, chain, inputs) in enumerate(vertices):
        first = len(operators)
        entering += [(source, first) for source, _ in inputs]
        ends += [(one, one + 1) for one in range(first, first + len(chain) - 1)]
        for number, name in enumerate(chain):
            uid = id_ if number == 0 else None
            operators.append(_member(len(operators), name if named else "", uid))
            owners.append(at)
    last = {owner: place for place, owner in enumerate(owners)}
    ends += [(last[source], first) for source, first in entering]
    edges = tuple(
        EdgeSnapshot(source=source, target=target, input=0, partitioner="", chained=False) for source, target in ends
    )
    return TakenApart(
        snapshot=Snapshot(name="", mode="", operators=tuple(operators), edges=edges, slots=None),
        owners=tuple(owners),
        numbers=(),
    )


def _member(place: int, name: str, uid: str | None) -> OperatorSnapshot:
    """Nothing but its name says of what kind it is."""
    return OperatorSnapshot(
        key=str(place), name=name, kind=name.replace(".", " "), id=uid or "", uid=uid, user_hash=None, state="none",
        parallelism=1, max_parallelism=-1, group="",
    )  # fmt: skip


def _pair(
    old: DeployedVertex, new: DeployedVertex, planned: DeployedJob, running: DeployedJob, back: Mapping[int, int]
) -> Iterator[Change]:
    batch = _both_batch(planned, running)
    if old.id and new.id and old.id != new.id and not batch:
        message = f"its id is {old.id} as planned and {new.id} as it runs: its state would not be found"
        yield _change("id", old.name, message, planned=old.id, running=new.id)
    comparable = planned.named == running.named
    if Counter(old.chain) != Counter(new.chain) if comparable else len(old.chain) != len(new.chain):
        message = f"planned as {_chain_words(old)}, runs as {_chain_words(new)}; generated ids depend on the chain"
        yield _change("chain", old.name, message, planned=list(old.chain), running=list(new.chain))
    if old.parallelism != new.parallelism and min(old.parallelism, new.parallelism) > 0:
        yield _numbers("parallelism", old.name, old.parallelism, new.parallelism)
    if old.max_parallelism and new.max_parallelism and old.max_parallelism != new.max_parallelism and not batch:
        yield _numbers("max parallelism", old.name, old.max_parallelism, new.max_parallelism)
    yield from _inputs(old, new, planned, running, back)


def _inputs(
    old: DeployedVertex, new: DeployedVertex, planned: DeployedJob, running: DeployedJob, back: Mapping[int, int]
) -> Iterator[Change]:
    """Edges between vertices that both sides have, with other ship strategies."""
    both = frozenset(back.values())
    sources: dict[int, tuple[Counter[str], Counter[str]]] = {}
    for (source, ship), count in old.inputs.items():
        if source in both:
            sources.setdefault(source, (Counter(), Counter()))[0][ship] += count
    for (source, ship), count in new.inputs.items():
        if source in back:
            sources.setdefault(back[source], (Counter(), Counter()))[1][ship] += count
    for source, (before, after) in sources.items():
        if not _same_ships(before, after, batch=running.batch):
            subject = f"{planned.vertices[source].name} -> {old.name}"
            message = (
                f"ships by {_ships(before)} as planned, and by {_ships(after)} as it runs"
                if before and after
                else f"is an edge by {_ships(before)} as planned, and none as it runs"
                if before
                else f"is no edge as planned, and one by {_ships(after)} as it runs"
            )
            yield _change("ship strategy", subject, message, planned=sorted(before), running=sorted(after))


def _operators(planned: DeployedJob, running: DeployedJob) -> Iterator[Change]:
    """All operators of a name together: a plan alone does not tell which of two that are alike stands where."""
    old = _by_name(planned.operators)
    new = _by_name(tuple(part for one in running.operators for part in _with_taken_sources(one, old)))
    for name in old:
        missing = len(old[name]) - len(new.get(name, ()))
        if missing > 0:
            yield _change("not deployed", name, "is planned and does not run", planned=missing)
    for name in new:
        additional = len(new[name]) - len(old.get(name, ()))
        if additional > 0:
            message = "runs and is not planned: its state would be lost"
            yield _change("not planned", name, message, running=additional)
    for name in old:
        if len(old[name]) == len(new.get(name, ())):
            yield from _same_operator(name, old[name], new[name], batch=running.batch)


def _with_taken_sources(operator: DeployedOperator, known: Mapping[str, object]) -> Iterator[DeployedOperator]:
    """An operator that took in sources, and the sources, where the plan knows them one by one."""
    name, sources = taken_sources(operator.name)
    if operator.name in known or name not in known or not all(source in known for source in sources):
        yield operator
        return
    ships = Counter(operator.ships) + Counter(FORWARD=len(sources))
    yield replace(operator, name=name, ships=ships)
    for source in sources:
        yield DeployedOperator(name=source, parallelism=operator.parallelism, ships=Counter())


def _same_operator(
    name: str, old: list[DeployedOperator], new: list[DeployedOperator], *, batch: bool
) -> Iterator[Change]:
    counts = [sorted(one.parallelism for one in side) for side in (old, new)]
    differing = [(one, other) for one, other in zip(*counts, strict=True) if one != other]
    if differing and min(*counts[0], *counts[1]) > 0:
        yield _numbers("parallelism", name, *differing[0])
    ships = [sum((Counter(one.ships) for one in side), Counter()) for side in (old, new)]
    if not _same_ships(ships[0], ships[1], batch=batch):
        message = f"its records arrive by {_ships(ships[0])} as planned, and by {_ships(ships[1])} as it runs"
        yield _change("ship strategy", name, message, planned=sorted(ships[0]), running=sorted(ships[1]))


def _same_ships(before: Counter[str], after: Counter[str], *, batch: bool) -> bool:
    """Whether records are shipped as planned. Batch mode makes RESCALE or HASH of a forward edge that did not chain."""
    if not batch:
        return before == after
    missing, additional = before - after, after - before
    return (
        set(missing) <= {"FORWARD"} and set(additional) <= {"RESCALE", "HASH"} and missing.total() == additional.total()
    )


def _by_name(operators: tuple[DeployedOperator, ...]) -> dict[str, list[DeployedOperator]]:
    found: dict[str, list[DeployedOperator]] = {}
    for operator in operators:
        found.setdefault(operator.name, []).append(operator)
    return found


def _slots(planned: DeployedJob, running: DeployedJob) -> Iterator[Change]:
    if planned.slots is not None and running.slots is not None and planned.slots != running.slots:
        yield _numbers("slots", "the job", planned.slots, running.slots)


def _numbers(kind: str, subject: str, old: int, new: int) -> Change:
    return _change(kind, subject, f"{kind} {new} ({old} is planned)", planned=old, running=new)


def _chain_words(vertex: DeployedVertex) -> str:
    return " -> ".join(vertex.chain)


def _ships(ships: Mapping[str, int]) -> str:
    return (
        ", ".join(f"{ship} ({count} edges)" if count > 1 else ship for ship, count in sorted(ships.items()))
        or "nothing"
    )
