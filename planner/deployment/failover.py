"""What restarts when a subtask fails, as Flink's region failover decides it.

The moment is the one at which the failing subtask runs: regions that start later have not begun, earlier ones are
finished and their blocking results lie where they ran, until everything that reads them is finished: then Flink
releases them (unless `jobmanager.partition.release-during-job-execution` is false). From the failed region, two rules
are followed to their end: a region whose result is needed again and is gone restarts, and so does whatever reads a
restarting region and has begun. What has not begun keeps its first attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeVar

from planner.deployment.layout import Layout, Range, blocking_links, fold
from planner.deployment.placement import Placement
from planner.deployment.steps import region_starts
from planner.graphs.execution_graph import ExecutionEdge
from planner.graphs.physical import Subtask
from planner.records import record

__all__ = ["RELEASE_OPTION", "Failover", "RegionRestart", "RestartReason", "ResultPart", "plan_failover"]

# Why a region restarts: it failed; it ran on the lost task manager; its result was lost, or released since nobody
# needed it any more; it reads a restarting region.
RestartReason = Literal["failed", "task-manager-lost", "result-lost", "result-released", "consumer"]
_Found = TypeVar("_Found", int, tuple[int, "RestartReason"])
RELEASE_OPTION = "jobmanager.partition.release-during-job-execution"


@record
class RegionRestart:
    """One region that begins another attempt."""

    region: int  # position in Physical.failover_regions
    reason: RestartReason


@record
class ResultPart:
    """Partitions of one blocking result."""

    producer: int  # vertex positions
    consumer: int
    partitions: tuple[Range, ...]

    def to_dict(self) -> dict[str, Any]:
        """The partitions as JSON-ready data."""
        return {
            "producer": self.producer,
            "consumer": self.consumer,
            "partitions": [list(span) for span in self.partitions],
        }


@record
class Failover:
    """One failure, and what follows from it."""

    subtask: Subtask
    lost_task_manager: int | None
    restarts: tuple[RegionRestart, ...]  # by region
    subtasks: int  # how many restart
    untouched: int  # how many do not
    waiting: int  # how many of these have not begun, and would read what is computed again
    read_again: tuple[tuple[int, tuple[Range, ...]], ...]  # sources whose input is read again: vertex, subtasks
    recomputed: tuple[ResultPart, ...]  # blocking results that existed and are made again
    kept: tuple[ResultPart, ...]  # blocking results that restarting regions read once more as they are

    def to_dict(self, layout: Layout) -> dict[str, Any]:
        """The failure as JSON-ready data."""
        regions = layout.physical.failover_regions
        return {
            "subtask": list(self.subtask),
            "lost_task_manager": self.lost_task_manager,
            "restarts": [
                {
                    "region": restart.region,
                    "reason": restart.reason,
                    "subtasks": [list(subtask) for subtask in regions[restart.region]],
                }
                for restart in self.restarts
            ],
            "restarting_subtasks": self.subtasks,
            "untouched_subtasks": self.untouched,
            "waiting_subtasks": self.waiting,
            "sources_read_again": [
                {"vertex": vertex, "subtasks": [list(span) for span in spans]} for vertex, spans in self.read_again
            ],
            "recomputed_results": [part.to_dict() for part in self.recomputed],
            "kept_results": [part.to_dict() for part in self.kept],
        }


def plan_failover(
    layout: Layout,
    failed: Subtask,
    placement: Placement | None = None,
    *,
    lose_task_manager: bool = False,
    release: bool = True,
) -> Failover:
    """What restarts when one subtask fails, and where it is placed, when its task manager is lost with it.

    `release`: blocking results are released once all that reads them is finished.
    """
    failure = _Failure(layout, failed, placement, lose_task_manager=lose_task_manager, release=release)
    reached = failure.spread()
    reasons = {region: reason for region, reason in reached.items() if failure.has_begun(region)}
    restarting = [region in reasons for region in layout.region_of]
    return Failover(
        subtask=failed,
        lost_task_manager=failure.task_manager,
        restarts=tuple(RegionRestart(region=region, reason=reason) for region, reason in sorted(reasons.items())),
        subtasks=sum(restarting),
        untouched=len(restarting) - sum(restarting),
        waiting=sum(region in reached and region not in reasons for region in layout.region_of),
        read_again=tuple(
            (vertex, subtasks)
            for vertex, edges in enumerate(layout.inputs)
            if not edges and (subtasks := _subtasks(layout, vertex, restarting))
        ),
        recomputed=tuple(_parts(layout, failure.finished(restarting))),
        kept=tuple(_kept(layout, restarting, failure.finished([not restart for restart in restarting]))),
    )


class _Failure:
    """The state of the job at the moment of the failure, and how the restart spreads."""

    def __init__(
        self, layout: Layout, failed: Subtask, placement: Placement | None, *, lose_task_manager: bool, release: bool
    ) -> None:
        self.layout = layout
        self.release = release
        self.region = layout.region_of[layout.number(failed)]
        self.starts = _starts(layout, placement)
        self.moment = self.starts[self.region]
        managers = placement.task_managers if placement and lose_task_manager else None
        self.task_manager = managers[layout.slot_of[layout.number(failed)]] if managers else None
        self.unfinished = [self.starts[region] >= self.moment for region in layout.region_of]
        self.done: dict[int, list[bool]] = {}  # by data set, what `released` found
        self.on_lost = [managers is not None and managers[slot] == self.task_manager for slot in layout.slot_of]

    def has_begun(self, region: int) -> bool:
        """Whether a region runs or has run at the moment."""
        return self.starts[region] <= self.moment

    def finished(self, among: Iterable[bool]) -> list[bool]:
        """Those of the subtasks that were finished at the moment."""
        return [
            wanted and self.starts[region] < self.moment
            for wanted, region in zip(among, self.layout.region_of, strict=True)
        ]

    def spread(self) -> dict[int, RestartReason]:
        """Every region that restarts, with its first reason."""
        count = len(self.layout.physical.failover_regions)
        downstream = blocking_links(self.layout, self.layout.region_of, count)
        before = self.lost_inputs(count)
        reasons: dict[int, RestartReason] = {self.region: "failed"}
        for number, region in enumerate(self.layout.region_of):
            if self.on_lost[number] and self.starts[region] == self.moment:
                reasons.setdefault(region, "task-manager-lost")
        walk = list(reasons)
        passed: set[int] = set()  # full exchanges, which are numbers after the regions
        for region in walk:  # grows while it is walked
            found: list[tuple[int, RestartReason]] = list(before.get(region, ()))
            found += [(other, "consumer") for other in downstream.get(region, ())]
            for other, reason in found:
                if other not in (passed if other >= count else reasons):
                    if other >= count:
                        passed.add(other)
                    else:
                        reasons[other] = reason
                    walk.append(other)
        return reasons

    def lost_inputs(self, count: int) -> dict[int, list[tuple[int, RestartReason]]]:
        """The regions whose missing results each region reads; a full exchange is one extra number after them."""
        found: dict[int, list[tuple[int, RestartReason]]] = {}
        region_of = self.layout.region_of
        base = count + len(self.layout.execution_graph.edges)
        for position, edge in enumerate(self.layout.blocking_edges()):
            consumers = self.layout.numbers(edge.target)
            missing = self.missing(edge)
            if edge.distribution == "ALL_TO_ALL":
                found[base + position] = _distinct(one for one in missing if one)
                for region in _distinct(region_of[number] for number in consumers):
                    found.setdefault(region, []).append((base + position, "result-lost"))
                continue
            for subtask, low, high in edge.consumed:
                regions = _distinct(one for one in missing[low : high + 1] if one)
                found.setdefault(region_of[consumers[subtask]], []).extend(regions)
        return found

    def missing(self, edge: ExecutionEdge) -> list[tuple[int, RestartReason] | None]:
        """By partition of a finished producer, its region and why the result is gone; None where it is there."""
        producers = self.layout.numbers(edge.source)
        gone = self.finished([True] * self.layout.first[-1])
        released = self.released(self.layout.job_graph.edges[edge.job_edge].data_set, len(producers))
        found: list[tuple[int, RestartReason] | None] = []
        for partition, number in enumerate(producers):
            lost = gone[number] and self.on_lost[number]
            absent = lost or (gone[number] and released[partition])
            reason: RestartReason = "result-lost" if lost else "result-released"
            found.append((self.layout.region_of[number], reason) if absent else None)
        return found

    def released(self, data_set: int, partitions: int) -> list[bool]:
        """By partition, whether everything that reads it is finished, so that Flink has released it."""
        if data_set not in self.done:
            done = [self.release] * partitions
            for edge in self.layout.blocking_edges():
                if self.release and self.layout.job_graph.edges[edge.job_edge].data_set == data_set:
                    waited_for = _read_by(self.layout, edge, self.unfinished)
                    done = [before and not waiting for before, waiting in zip(done, waited_for, strict=True)]
            self.done[data_set] = done
        return self.done[data_set]


def _starts(layout: Layout, placement: Placement | None) -> list[tuple[int, int]]:
    """When every region starts: its turn, and the step in that."""
    turn = [0] * len(layout.physical.failover_regions)
    if placement:
        for number, region in enumerate(layout.region_of):
            turn[region] = placement.turns[layout.slot_of[number]]
    return list(zip(turn, region_starts(layout), strict=True))


def _distinct(found: Iterable[_Found]) -> list[_Found]:
    return list(dict.fromkeys(found))


def _subtasks(layout: Layout, vertex: int, chosen: list[bool]) -> tuple[Range, ...]:
    return fold(subtask for subtask, number in enumerate(layout.numbers(vertex)) if chosen[number])


def _parts(layout: Layout, chosen: list[bool]) -> Iterator[ResultPart]:
    """The partitions of the chosen producers, for every reader."""
    for edge in layout.blocking_edges():
        partitions = _subtasks(layout, edge.source, chosen)
        if partitions:
            yield ResultPart(producer=edge.source, consumer=edge.target, partitions=partitions)


def _kept(layout: Layout, restarting: list[bool], chosen: list[bool]) -> Iterator[ResultPart]:
    """The partitions of the chosen producers that a restarting consumer reads."""
    for edge in layout.blocking_edges():
        producers = layout.numbers(edge.source)
        read = _read_by(layout, edge, restarting)
        partitions = fold(p for p, number in enumerate(producers) if chosen[number] and read[p])
        if partitions:
            yield ResultPart(producer=edge.source, consumer=edge.target, partitions=partitions)


def _read_by(layout: Layout, edge: ExecutionEdge, restarting: list[bool]) -> list[bool]:
    """Which partitions at least one restarting consumer reads."""
    changes = [0] * (len(layout.numbers(edge.source)) + 1)
    first = layout.first[edge.target]
    for subtask, low, high in edge.consumed:
        if restarting[first + subtask]:
            changes[low] += 1
            changes[high + 1] -= 1
    read, depth = [], 0
    for change in changes[:-1]:
        depth += change
        read.append(depth > 0)
    return read
