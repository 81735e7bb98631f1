"""Live figures of a running job: how busy each vertex and subtask is, what flows through it, how large its state is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol
from urllib.parse import quote

from planner.frontends.flink_export.fields import JsonObject, amount, is_object, json_objects, text
from planner.frontends.flink_export.saved import names_of
from planner.records import record

MOST_QUERY = 1_500  # characters of metric names in one request
_FLOW = re.compile(r"\d+\.(?P<operator>.+)\.(?P<metric>numRecordsIn|numRecordsOut)")
_NETWORK = ("Shuffle.", "buffers")


class Answering(Protocol):
    """A running job, or a saved one."""

    def ask(self, path: str) -> Any | None:
        """What the cluster answers under `/jobs/ID` and `path`."""


@record
class SubtaskLoad:
    """How one subtask spends its time, each from 0 to 1; None where Flink does not measure it."""

    subtask: int
    busy: float | None
    idle: float | None
    backpressured: float | None


@record
class OperatorFlow:
    """The records of one chained operator, over all subtasks."""

    operator: str  # as Flink's metrics spell it
    records_in: int | None
    records_out: int | None


@record
class VertexFigures:
    """The figures of one vertex."""

    id: str
    name: str
    status: str
    subtasks: tuple[SubtaskLoad, ...]
    operators: tuple[OperatorFlow, ...]
    records_in: int | None
    records_out: int | None
    state_size: int | None  # bytes, in the latest checkpoint
    checkpoint_duration: int | None  # milliseconds

    def most(self, what: str) -> float | None:
        """The largest busy, idle or backpressured share among the subtasks."""
        found = [share for load in self.subtasks if (share := getattr(load, what)) is not None]
        return max(found, default=None)

    def average(self, what: str) -> float | None:
        """The average busy, idle or backpressured share of the subtasks."""
        found = [share for load in self.subtasks if (share := getattr(load, what)) is not None]
        return sum(found) / len(found) if found else None


@record
class LiveFigures:
    """The figures of a job at one moment."""

    state: str
    duration: int | None  # milliseconds since the job began
    checkpoint: int | None  # number of the latest completed checkpoint
    vertices: tuple[VertexFigures, ...]


def read_live(job: Answering) -> LiveFigures:
    """Ask for the figures of every vertex."""
    details = job.ask("")
    details = details if is_object(details) else {}
    checkpoint = _latest_checkpoint(job)
    tasks = checkpoint.get("tasks") if checkpoint else None
    duration = amount(details, "duration")
    number = amount(checkpoint, "id") if checkpoint else None
    return LiveFigures(
        state=text(details, "state", "job", ""),
        duration=None if duration is None else int(duration),
        checkpoint=None if number is None else int(number),
        vertices=tuple(
            _vertex(job, entry, tasks if is_object(tasks) else {})
            for entry, _ in json_objects(details, "vertices", "job")
        ),
    )


def flow_queries(names: Sequence[str]) -> Iterator[str]:
    """The requests for the records of every chained operator, each short enough for a server."""
    wanted = [name for name in names if (found := _FLOW.fullmatch(name)) and not found["operator"].startswith(_NETWORK)]
    batch: list[str] = []
    for name in wanted:
        if batch and sum(map(len, batch)) + len(batch) + len(name) > MOST_QUERY:
            yield quote(",".join(batch))
            batch = []
        batch.append(name)
    if batch:
        yield quote(",".join(batch))


def vertex_ids(details: Any) -> list[str]:
    """The ids of all vertices; only what is an id may become part of a path."""
    entries = [entry for entry, _ in json_objects(details, "vertices", "job")] if is_object(details) else []
    return [entry["id"] for entry in entries if _is_id(entry.get("id"))]


def _vertex(job: Answering, entry: JsonObject, tasks: JsonObject) -> VertexFigures:
    vertex = text(entry, "id", "vertex")
    saved = tasks.get(vertex)
    task = saved if is_object(saved) else {}
    asked = _is_id(vertex)
    counted = entry.get("metrics")
    metrics = counted if is_object(counted) else {}
    return VertexFigures(
        id=vertex,
        name=text(entry, "name", "vertex", vertex),
        status=text(entry, "status", "vertex", ""),
        subtasks=_loads(job.ask(f"/vertices/{vertex}/backpressure")) if asked else (),
        operators=_flows(job, vertex) if asked else (),
        records_in=_whole(metrics, "read-records"),
        records_out=_whole(metrics, "write-records"),
        state_size=_whole(task, "state_size"),
        checkpoint_duration=_whole(task, "end_to_end_duration"),
    )


def _loads(answer: Any) -> tuple[SubtaskLoad, ...]:
    if not is_object(answer):
        return ()
    return tuple(
        SubtaskLoad(
            subtask=_whole(entry, "subtask") or 0,
            busy=_share(entry, "busyRatio"),
            idle=_share(entry, "idleRatio"),
            backpressured=_share(entry, "ratio"),
        )
        for entry, _ in json_objects(answer, "subtasks", "backpressure")
    )


def _flows(job: Answering, vertex: str) -> tuple[OperatorFlow, ...]:
    values: dict[str, float | None] = {}  # by name: a saved folder answers every request with all of them
    for query in flow_queries(names_of(job.ask(f"/vertices/{vertex}/metrics"))):
        answer = job.ask(f"/vertices/{vertex}/metrics?get={query}")
        for entry in answer if isinstance(answer, list) else []:
            if is_object(entry):
                values[str(entry.get("id"))] = amount(entry, "value")
    totals: dict[str, dict[str, int]] = {}
    for name, value in values.items():
        found = _FLOW.fullmatch(name)
        if found and value is not None:
            own = totals.setdefault(found["operator"], {})
            own[found["metric"]] = own.get(found["metric"], 0) + int(value)
    return tuple(
        OperatorFlow(operator=name, records_in=own.get("numRecordsIn"), records_out=own.get("numRecordsOut"))
        for name, own in totals.items()
    )


def _latest_checkpoint(job: Answering) -> JsonObject | None:
    overview = job.ask("/checkpoints")
    latest = overview.get("latest") if is_object(overview) else None
    done = latest.get("completed") if is_object(latest) else None
    number = _whole(done, "id") if is_object(done) else None
    if number is None:
        return None
    details = job.ask(f"/checkpoints/details/{number}")
    return details if is_object(details) else done if is_object(done) else None


def _whole(entry: JsonObject, key: str) -> int | None:
    value = amount(entry, key)
    return None if value is None else int(value)


def _share(entry: JsonObject, key: str) -> float | None:
    value = amount(entry, key)
    return None if value is None else min(max(value, 0.0), 1.0)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{32}", value) is not None
