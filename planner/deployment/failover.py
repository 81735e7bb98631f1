"""What restarts when a subtask fails, as Flink's region failover decides it.

The moment is the one at which the failing subtask runs: regions that start later have not begun, earlier ones are
finished and their blocking results are kept where they ran. From the failed region, two rules are followed to their
end: a region whose result is needed again and was lost restarts, and so does whatever reads a restarting region.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from planner.deployment.layout import Layout, Range, blocking_links, fold
from planner.deployment.placement import Placement
from planner.deployment.steps import region_starts
from planner.graphs.execution_graph import ExecutionEdge
from planner.graphs.physical import Subtask

__all__ = ["Failover", "Reason", "RegionRestart", "ResultPart", "plan_failover"]

# Why a region restarts: it failed; it ran on the lost task manager; its result was lost; it reads a restarting region.
Reason = Literal["failed", "task-manager-lost", "result-lost", "consumer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionRestart:
    """One region that goes back to CREATED."""

    region: int  # position in Physical.failover_regions
    reason: Reason
    begun: bool  # False: it had not started, so that nothing it did is lost


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Failover:
    """One failure, and what follows from it."""

    subtask: Subtask
    lost_task_manager: int | None
    restarts: tuple[RegionRestart, ...]  # by region
    subtasks: int  # how many restart
    untouched: int  # how many do not
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
                    "begun": restart.begun,
                    "subtasks": [list(subtask) for subtask in regions[restart.region]],
                }
                for restart in self.restarts
            ],
            "restarting_subtasks": self.subtasks,
            "untouched_subtasks": self.untouched,
            "sources_read_again": [
                {"vertex": vertex, "subtasks": [list(span) for span in spans]} for vertex, spans in self.read_again
            ],
            "recomputed_results": [part.to_dict() for part in self.recomputed],
            "kept_results": [part.to_dict() for part in self.kept],
        }


def plan_failover(
    layout: Layout, failed: Subtask, placement: Placement | None = None, *, lose_task_manager: bool = False
) -> Failover:
    """What restarts when one subtask fails, and where it is placed, when its task manager is lost with it."""
    failure = _Failure(layout, failed, placement, lose_task_manager=lose_task_manager)
    reasons = failure.spread()
    restarting = [layout.region_of[number] in reasons for number in range(layout.first[-1])]
    existed = [failure.starts[layout.region_of[number]] <= failure.moment for number in range(layout.first[-1])]
    again = [both and begun for both, begun in zip(restarting, existed, strict=True)]
    return Failover(
        subtask=failed,
        lost_task_manager=failure.task_manager,
        restarts=tuple(
            RegionRestart(region=region, reason=reason, begun=failure.starts[region] <= failure.moment)
            for region, reason in sorted(reasons.items())
        ),
        subtasks=sum(restarting),
        untouched=len(restarting) - sum(restarting),
        read_again=tuple(
            (vertex, subtasks)
            for vertex, edges in enumerate(layout.inputs)
            if not edges and (subtasks := _subtasks(layout, vertex, again))
        ),
        recomputed=tuple(_parts(layout, failure.finished(again))),
        kept=tuple(_kept(layout, restarting, failure.finished([not restart for restart in restarting]))),
    )


class _Failure:
    """The state of the job at the moment of the failure, and how the restart spreads."""

    def __init__(
        self, layout: Layout, failed: Subtask, placement: Placement | None, *, lose_task_manager: bool
    ) -> None:
        self.layout = layout
        self.region = layout.region_of[layout.number(failed)]
        self.starts = _starts(layout, placement)
        self.moment = self.starts[self.region]
        managers = placement.task_managers if placement and lose_task_manager else None
        self.task_manager = managers[layout.slot_of[layout.number(failed)]] if managers else None
        self.on_lost = [managers is not None and managers[slot] == self.task_manager for slot in layout.slot_of]

    def finished(self, among: Iterable[bool]) -> list[bool]:
        """Those of the subtasks that were finished at the moment."""
        return [
            wanted and self.starts[region] < self.moment
            for wanted, region in zip(among, self.layout.region_of, strict=True)
        ]

    def spread(self) -> dict[int, Reason]:
        """Every region that restarts, with its first reason."""
        count = len(self.layout.physical.failover_regions)
        behind = blocking_links(self.layout, self.layout.region_of, count)
        before = self.lost_inputs(count)
        reasons: dict[int, Reason] = {self.region: "failed"}
        for number, region in enumerate(self.layout.region_of):
            if self.on_lost[number] and self.starts[region] == self.moment:
                reasons.setdefault(region, "task-manager-lost")
        walk = list(reasons)
        passed: set[int] = set()  # full exchanges, which are numbers behind the regions
        for region in walk:  # grows while it is walked
            found: list[tuple[int, Reason]] = [(other, "result-lost") for other in before.get(region, ())]
            found += [(other, "consumer") for other in behind.get(region, ())]
            for other, reason in found:
                if other not in (passed if other >= count else reasons):
                    if other >= count:
                        passed.add(other)
                    else:
                        reasons[other] = reason
                    walk.append(other)
        return reasons

    def lost_inputs(self, count: int) -> dict[int, list[int]]:
        """The regions whose lost results each region reads; a full exchange is one extra number, apart from others."""
        found: dict[int, list[int]] = {}
        lost = self.finished(self.on_lost)
        region_of = self.layout.region_of
        base = count + len(self.layout.execution_graph.edges)
        for position, edge in enumerate(self.layout.blocking_edges()):
            producers, consumers = self.layout.numbers(edge.source), self.layout.numbers(edge.target)
            if edge.distribution == "ALL_TO_ALL":
                found[base + position] = _distinct(region_of[number] for number in producers if lost[number])
                for region in _distinct(region_of[number] for number in consumers):
                    found.setdefault(region, []).append(base + position)
                continue
            for subtask, low, high in edge.consumed:
                regions = _distinct(region_of[number] for number in producers[low : high + 1] if lost[number])
                found.setdefault(region_of[consumers[subtask]], []).extend(regions)
        return found


def _starts(layout: Layout, placement: Placement | None) -> list[tuple[int, int]]:
    """When every region starts: its turn, and the step in that."""
    turn = [0] * len(layout.physical.failover_regions)
    if placement:
        for number, region in enumerate(layout.region_of):
            turn[region] = placement.turns[layout.slot_of[number]]
    return list(zip(turn, region_starts(layout), strict=True))


def _distinct(numbers: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(numbers))


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
