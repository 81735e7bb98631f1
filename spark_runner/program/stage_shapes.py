"""Which Spark stage ran which vertex, by the shape of the stages alone.

Python passes say themselves which stage they ran in; what runs inside the JVM cannot. But the stages of an action and
the passes upstream of its sink have one shape: a stage ends where an exchange begins. Walking both from the sink
against the stream finds the stage of every pass, and of a union the tasks that belong to each of its inputs.

Spark leaves out an exchange where records already lie as a sum or join needs them. Whether it did is not visible in one
stage, so both are tried: only one of them ends in sources without parents, with the right numbers of tasks.

Nothing here imports pyspark: stages are plain data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.job import Collection, Join
from spark_runner.program.counting import is_native_sum
from spark_runner.program.program import Inlet, Pass, SparkProgram

__all__ = ["ActionStages", "Stage", "first_tasks", "stage_owners"]

_MOST_PASSES = 300  # beyond that nobody reads the figures of single vertices, and the search would take its time
_MOST_TRIES = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The part of a stage that ran a vertex: `count` tasks from `first` on, subtask by subtask.

    Vertices that run in one stage, one after the other, share its tasks: the first reads the shuffle, the last writes.
    """

    stage: int
    first: int
    count: int
    reads: bool = False
    writes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage of a Spark job: its tasks, and the stages whose results it reads, in the order it reads them."""

    id: int
    tasks: int
    parents: tuple[int, ...] = ()
    ran: bool = True  # False: skipped, since an earlier job left its result


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionStages:
    """The stages of the job that fed one sink: `sink` is a position in SparkProgram.sinks."""

    sink: int
    result: int
    stages: Mapping[int, Stage]


def stage_owners(program: SparkProgram, actions: Iterable[ActionStages]) -> dict[int, tuple[Share, ...]]:
    """The shares of every vertex that the stages explain. A pass of several actions is credited to the first."""
    found: dict[int, dict[tuple[int, int], list[Share]]] = {}
    known: set[int] = set()  # passes that an earlier action ran
    if len(program.passes) > _MOST_PASSES:
        return {}
    for action in actions:
        sink = program.sinks[action.sink]
        matched = _Match(program, action).from_sink()
        for number, share in matched:
            vertex = program.passes[number].step
            # a result that was kept is not made again, but still written: to a sink, or into an exchange
            writes = share.writes or (vertex == sink.step and share.stage == action.result)
            if (number not in known or writes) and action.stages[share.stage].ran:
                found.setdefault(vertex, {}).setdefault((share.stage, share.first), []).append(share)
        known.update(number for number, _ in matched)
    return {vertex: tuple(map(_joined, shares.values())) for vertex, shares in found.items()}


def _joined(shares: Sequence[Share]) -> Share:
    """The shares of a vertex's passes in the same tasks as one."""
    return replace(shares[0], reads=any(one.reads for one in shares), writes=any(one.writes for one in shares))


Matched = list[tuple[int, Share]]  # passes with where they ran


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inside:
    """What runs in one stage, the exchanges it reads (for each the passes upstream), and sums that may have none."""

    shares: Matched
    exchanges: list[tuple[int, ...]]
    perhaps_left_out: list[int]


class _TooMany(Exception):
    pass


class _Match:
    """One action's passes against its stages."""

    def __init__(self, program: SparkProgram, action: ActionStages) -> None:
        self.program, self.action = program, action
        self.tries = 0

    def from_sink(self) -> Matched:
        """Every pass upstream of the sink with its share; nothing where the shapes do not fit."""
        try:
            return self._stage(self.action.result, (self.program.sinks[self.action.sink].source,)) or []
        except _TooMany:
            return []

    def _stage(self, stage_id: int, ends: Sequence[int]) -> Matched | None:
        """A stage whose tasks end in these passes, one after another: a union where they are several."""
        stage = self.action.stages.get(stage_id)
        if stage is None or stage.tasks != sum(self.program.passes[end].parallelism for end in ends):
            return None
        guesses: list[frozenset[int]] = [frozenset()]
        for left_out in guesses:  # grows while it is read
            self.tries += 1
            if self.tries > _MOST_TRIES:
                raise _TooMany
            inside = self._inside(stage_id, ends, left_out)
            upstream = self._parents(stage.parents, inside.exchanges)
            if upstream is not None:
                return inside.shares + upstream
            guesses += (left_out | {one} for one in inside.perhaps_left_out if left_out | {one} not in guesses)
        return None

    def _parents(self, parents: Sequence[int], exchanges: Sequence[tuple[int, ...]]) -> Matched | None:
        if len(exchanges) != len(parents):
            exchanges = list(dict.fromkeys(exchanges))  # Spark reads one exchange twice rather than make it twice
        if len(exchanges) != len(parents):
            return None
        found: Matched = []
        for parent, ends in zip(parents, exchanges, strict=True):
            if not ends:  # the stage that brings a collection's records: its source runs in the stage after it
                continue
            upstream = self._stage(parent, ends)
            if upstream is None:
                return None
            found += upstream
        return found

    def _inside(self, stage_id: int, ends: Sequence[int], left_out: frozenset[int]) -> _Inside:
        inside = _Inside(shares=[], exchanges=[], perhaps_left_out=[])
        first = 0
        for end in ends:
            count = self.program.passes[end].parallelism
            writes = stage_id != self.action.result
            open_passes = [end]
            while open_passes:
                number = open_passes.pop()
                here = self._same_stage(number, left_out, inside)
                reads = not here and bool(self.program.passes[number].inlets)
                share = Share(stage=stage_id, first=first, count=count, reads=reads, writes=writes and number == end)
                inside.shares.append((number, share))
                open_passes += reversed(here)
            first += count
        return inside

    def _same_stage(self, number: int, left_out: frozenset[int], inside: _Inside) -> list[int]:
        """The passes upstream that run in the same stage; the others are noted as exchanges."""
        one = self.program.passes[number]
        sources = [inlet.source for inlet in one.inlets]
        if number in left_out:
            return sources
        here, exchanges = _in_front(one)
        inside.exchanges.extend(exchanges)
        if is_native_sum(one) and [self.program.passes[source].parallelism for source in sources] == [one.parallelism]:
            inside.perhaps_left_out.append(number)
        return here


def first_tasks(program: SparkProgram) -> dict[int, int]:
    """For every pass the number of its first subtask's task, in the stage of the first action that runs it.

    That is 0, except after a union: there the tasks of all inputs are counted through.
    """
    found: dict[int, int] = {}
    open_stages: list[tuple[int, ...]] = [(sink.source,) for sink in reversed(program.sinks)]
    while open_stages:
        first = 0
        for end in open_stages.pop():
            open_passes = [end]
            while open_passes:
                number = open_passes.pop()
                if number not in found:
                    found[number] = first
                    here, exchanges = _in_front(program.passes[number])
                    open_passes += here
                    open_stages += exchanges
            first += program.passes[end].parallelism
    return found


def _in_front(one: Pass) -> tuple[list[int], list[tuple[int, ...]]]:
    """The passes that run in the same stage, upstream of this one, and its exchanges: for each the passes it reads."""
    if not one.inlets:
        return [], [()] if _has_a_stage_in_front(one) else []
    if len(one.inlets) == 1 and not _shuffles(one, one.inlets[0]):
        return [one.inlets[0].source], []
    if _is_join(one):
        return [], [tuple(i.source for i in one.inlets if i.position == side) for side in (0, 1)]
    return [], [tuple(inlet.source for inlet in one.inlets)]


def _has_a_stage_in_front(one: Pass) -> bool:
    """Whether a source's records are brought by an exchange: a collection inside the JVM, in several parts."""
    native = one.engine == "native" and one.parallelism > 1
    return native and bool(one.operations) and isinstance(one.operations[0].operator.behaviour, Collection)


def _is_join(one: Pass) -> bool:
    return bool(one.operations) and isinstance(one.operations[0].operator.behaviour, Join)


def _shuffles(one: Pass, inlet: Inlet) -> bool:
    if is_native_sum(one) or _is_join(one):
        return True
    return inlet.exchange is not None and inlet.exchange.strategy != "FORWARD"
