"""Drift: how the job that runs differs from the job that was planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from planner.observed.deployed import DeployedJob, DeployedOperator, DeployedVertex
from planner.observed.labels import taken_sources

Kind = Literal[
    "not deployed", "not planned", "id", "chain", "parallelism", "max parallelism", "ship strategy", "slots"
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One difference between the planned and the running job."""

    kind: Kind
    subject: str
    message: str
    planned: Any = None
    running: Any = None
    state: bool = False  # deploying the plan with the running job's state would lose it, or be refused

    def to_dict(self) -> dict[str, Any]:
        """The difference as JSON-ready data."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "message": self.message,
            "planned": self.planned,
            "running": self.running,
            "state": self.state,
        }


def find_drift(planned: DeployedJob, running: DeployedJob) -> tuple[Drift, ...]:
    """All differences; those that touch state first."""
    planned, running = _in_the_same_words(planned, running)
    if planned.vertices and running.vertices:
        found = list(_vertices(planned, running))
    else:  # a stream plan does not know its chains: operators are compared
        found = list(_operators(planned, running))
    found += _slots(planned, running)
    return tuple(sorted(found, key=lambda one: not one.state))


def _in_the_same_words(planned: DeployedJob, running: DeployedJob) -> tuple[DeployedJob, DeployedJob]:
    """Both jobs with names; where one has only descriptions and the other has them too, with descriptions."""
    described = all(all(operator.described for operator in side.operators) for side in (planned, running))
    if described and not (planned.named and running.named):
        return planned.in_descriptions, running.in_descriptions
    return planned, running


def _vertices(planned: DeployedJob, running: DeployedJob) -> Iterator[Drift]:
    pairs = _matched(planned.vertices, running.vertices)
    back = {new: old for old, new in pairs.items()}
    for place, vertex in enumerate(planned.vertices):
        if place in pairs:
            yield from _pair(vertex, running.vertices[pairs[place]], planned, running, back)
        else:
            yield Drift(
                kind="not deployed", subject=vertex.name, message="is planned and does not run", planned=vertex.id
            )
    for place, vertex in enumerate(running.vertices):
        if place not in back:
            message = "runs and is not planned: its state would be lost"
            yield Drift(kind="not planned", subject=vertex.name, message=message, running=vertex.id, state=True)


# By which two vertices are taken to be the same, the surest first.
_KEYS: tuple[Callable[[DeployedVertex], Hashable], ...] = (
    lambda vertex: vertex.id,
    lambda vertex: vertex.chain,
    lambda vertex: vertex.chain[:1],
)


def _matched(old: tuple[DeployedVertex, ...], new: tuple[DeployedVertex, ...]) -> dict[int, int]:
    """Pairs of vertices: by their id, else by their whole chain, else by the head of their chain."""
    pairs: dict[int, int] = {}
    for key in _KEYS:
        left = [place for place in range(len(old)) if place not in pairs]
        right = [place for place in range(len(new)) if place not in pairs.values()]
        counts = Counter(key(old[place]) for place in left), Counter(key(new[place]) for place in right)
        by_key = {key(new[place]): place for place in right if key(new[place]) and counts[1][key(new[place])] == 1}
        for place in left:
            wanted = key(old[place])
            if wanted and counts[0][wanted] == 1 and wanted in by_key:
                pairs[place] = by_key[wanted]
    return pairs


def _pair(
    old: DeployedVertex, new: DeployedVertex, planned: DeployedJob, running: DeployedJob, back: Mapping[int, int]
) -> Iterator[Drift]:
    if old.id and new.id and old.id != new.id:
        message = f"its id is {old.id} as planned and {new.id} as it runs: its state would not be found"
        yield Drift(kind="id", subject=old.name, message=message, planned=old.id, running=new.id, state=True)
    comparable = planned.named == running.named
    if Counter(old.chain) != Counter(new.chain) if comparable else len(old.chain) != len(new.chain):
        message = f"planned as {_chain(old)}, runs as {_chain(new)}; generated ids depend on the chain"
        names = {"planned": list(old.chain), "running": list(new.chain)}
        yield Drift(kind="chain", subject=old.name, message=message, state=True, **names)
    if old.parallelism != new.parallelism and min(old.parallelism, new.parallelism) > 0:
        yield _numbers("parallelism", old.name, old.parallelism, new.parallelism)
    if old.max_parallelism and new.max_parallelism and old.max_parallelism != new.max_parallelism:
        yield _numbers("max parallelism", old.name, old.max_parallelism, new.max_parallelism, state=True)
    yield from _inputs(old, new, planned, running, back)


def _inputs(
    old: DeployedVertex, new: DeployedVertex, planned: DeployedJob, running: DeployedJob, back: Mapping[int, int]
) -> Iterator[Drift]:
    """Edges between vertices that both sides have, with other ship strategies."""
    sources: dict[int, tuple[Counter[str], Counter[str]]] = {}
    for (source, ship), count in old.inputs.items():
        sources.setdefault(source, (Counter(), Counter()))[0][ship] += count
    for (source, ship), count in new.inputs.items():
        if source in back:
            sources.setdefault(back[source], (Counter(), Counter()))[1][ship] += count
    for source, (before, after) in sources.items():
        if not _same_ships(before, after, batch=running.batch):
            subject = f"{planned.vertices[source].name} -> {old.name}"
            message = f"ships by {_ships(before)} as planned, and by {_ships(after)} as it runs"
            yield Drift(
                kind="ship strategy", subject=subject, message=message, planned=sorted(before), running=sorted(after)
            )


def _operators(planned: DeployedJob, running: DeployedJob) -> Iterator[Drift]:
    old = _by_name(planned.operators)
    new = _by_name(tuple(part for one in running.operators for part in _with_taken_sources(one, old)))
    for name in old:
        missing = len(old[name]) - len(new.get(name, ()))
        if missing > 0:
            yield Drift(kind="not deployed", subject=name, message="is planned and does not run", planned=missing)
    for name in new:
        additional = len(new[name]) - len(old.get(name, ()))
        if additional > 0:
            message = "runs and is not planned: its state would be lost"
            yield Drift(kind="not planned", subject=name, message=message, running=additional, state=True)
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
) -> Iterator[Drift]:
    before, after = (sorted(one.parallelism for one in side) for side in (old, new))
    if before != after and min(*before, *after) > 0:
        yield _numbers("parallelism", name, before[0], after[0])
    ships = [sum((Counter(one.ships) for one in side), Counter()) for side in (old, new)]
    if not _same_ships(ships[0], ships[1], batch=batch):
        message = f"its records arrive by {_ships(ships[0])} as planned, and by {_ships(ships[1])} as it runs"
        yield Drift(
            kind="ship strategy", subject=name, message=message, planned=sorted(ships[0]), running=sorted(ships[1])
        )


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


def _slots(planned: DeployedJob, running: DeployedJob) -> Iterator[Drift]:
    if planned.slots is not None and running.slots is not None and planned.slots != running.slots:
        yield _numbers("slots", "the job", planned.slots, running.slots)


def _numbers(kind: Kind, subject: str, old: int, new: int, *, state: bool = False) -> Drift:
    message = f"{kind} {old} as planned, and {new} as it runs"
    return Drift(kind=kind, subject=subject, message=message, planned=old, running=new, state=state)


def _chain(vertex: DeployedVertex) -> str:
    return " -> ".join(vertex.chain)


def _ships(ships: Mapping[str, int]) -> str:
    return (
        ", ".join(f"{ship} ({count} edges)" if count > 1 else ship for ship, count in sorted(ships.items()))
        or "nothing"
    )
