"""The figures of a run on a plan: what each task, operator and edge did, and which tasks were hot."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from cli.render.pictures.overlay import Overlay, VertexNote
from cli.render.text.run_report import shown_bytes, shown_seconds
from cli.render.words import count
from planner.errors import OptionError
from planner.pipeline import Plan

FigureRow = tuple[str, str]
Batch = Mapping[str, Any]

END_OF_TIME = 1 << 62  # Flink's last watermark: everything has come


def stream_rows(batches: Sequence[Batch]) -> list[FigureRow]:
    """What the whole run did."""
    if not batches:
        return []
    last = batches[-1]
    rows = [
        ("batches", f"{len(batches)} in the report, the last is no. {last['batch']}"),
        ("last batch", f"{shown_seconds(last['seconds'])}, written at {_clock(last['ended'])}"),
    ]
    return rows + [(f"backlog of {source}", str(words)) for source, words in last.get("backlog", ())]


def task_rows(batches: Sequence[Batch], vertex: int) -> list[FigureRow]:
    """What one task did: in the last batch, and altogether."""
    own = _of(batches, vertex)
    if not own:
        return []
    last, seconds = own[-1]
    rows = [
        ("last batch", f"{_rate(last['records_in'], seconds)} in, {_rate(last['records_out'], seconds)} out"),
        ("late records", str(sum(one["late"] for one, _ in own))),
        ("state", f"{count(last['keys'], 'key')}, {shown_bytes(last['bytes'])}"),
    ]
    watermark = _watermark(last["watermark"])
    return [*rows, ("watermark", watermark)] if watermark else rows


def stream_note(batches: Sequence[Batch], vertex: int) -> str:
    """The same in a few words, for a picture."""
    own = _of(batches, vertex)
    if not own:
        return ""
    last, seconds = own[-1]
    parts = [f"{_rate(last['records_in'], seconds)} in"] if last["records_in"] else []
    late = sum(one["late"] for one, _ in own)
    parts += [f"{late} late"] if late else []
    parts += [count(last["keys"], "key")] if last["keys"] else []
    return ", ".join(parts)


def _of(batches: Sequence[Batch], vertex: int) -> list[tuple[Mapping[str, Any], float]]:
    return [(one, batch["seconds"]) for batch in batches for one in batch["vertices"] if one["vertex"] == vertex]


def _rate(records: int, seconds: float) -> str:
    return f"{records / seconds:.0f} records/s" if seconds else count(records, "record")


def _watermark(milliseconds: int | None) -> str:
    if milliseconds is None:
        return ""
    return "the end of all input" if milliseconds >= END_OF_TIME else _clock(milliseconds / 1000)


def _clock(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError):  # event times may be anything
        return f"{seconds:.3f} s since 1970"


MOST_SUBTASKS = 2_000  # of all vertices, with figures of their own

Report = Mapping[str, Any]
_VERTEX_KEYS = ("vertex", "id", "name", "parallelism", "state", "attempt", "attempts", "operators", "subtasks")


def run_notes(plan: Plan, report: Report) -> Overlay:
    """Time, skew, attempts and hosts on every task, records on every operator and edge."""
    vertices = _matched(plan, report)
    longest = max((vertex.get("seconds") or 0 for vertex in vertices.values()), default=0)
    records = {operator["node"]: operator for vertex in vertices.values() for operator in vertex["operators"]}
    return Overlay(
        vertices={
            position: VertexNote(
                text=_note(vertex, stream_note(_batches(report), vertex["vertex"])),
                heat=(vertex.get("seconds") or 0) / longest if longest else None,
            )
            for position, vertex in vertices.items()
        },
        records={node: words for node, operator in records.items() if (words := _records(operator))},
        carried={
            number: count(carried, "record")
            for number, edge in enumerate(plan.stream_graph.edges)
            if edge.side_output is None and (carried := (records.get(edge.source) or {}).get("records_out")) is not None
        },
    )


def run_data(plan: Plan, report: Report) -> dict[str, Any]:
    """The run as the page's script reads it; the figures of subtasks only while there are not too many."""
    vertices = _matched(plan, report)
    few = sum(len(vertex["subtasks"]) for vertex in vertices.values()) <= MOST_SUBTASKS
    return {
        "id": report["id"],
        "state": report["state"],
        "master": report.get("master", ""),
        "mode": report.get("mode", ""),
        "seconds": shown_seconds(report.get("seconds")),
        "message": report.get("message"),
        "live": stream_rows(_batches(report)),
        "tasks": {
            str(position): {**_vertex(vertex, few=few), "live": task_rows(_batches(report), vertex["vertex"])}
            for position, vertex in vertices.items()
        },
        "records": {
            str(operator["node"]): [operator.get("records_in"), operator.get("records_out")]
            for vertex in vertices.values()
            for operator in vertex["operators"]
        },
    }


def check_report(report: Report, called: str) -> None:
    """Refuse what is not a run's report before anything is read from it."""
    missing = [key for key in ("id", "state") if key not in report]
    for number, vertex in enumerate(report["vertices"]):
        known = vertex if isinstance(vertex, dict) else {}
        missing += [f"{key} in vertex {number}" for key in _VERTEX_KEYS if key not in known]
    if missing:
        raise OptionError(
            f"{called} is not the report of a run: it has no {missing[0]}", hint="plan runs lists the runs"
        )


def _matched(plan: Plan, report: Report) -> dict[int, Mapping[str, Any]]:
    """The vertices of the report by their position in the plan: by id, else by name."""
    assert plan.job_graph is not None
    by_id = {vertex["id"]: vertex for vertex in report["vertices"]}
    by_name = {vertex["name"]: vertex for vertex in report["vertices"]}
    found = {
        position: by_id.get(vertex.id) or by_name.get(vertex.name)
        for position, vertex in enumerate(plan.job_graph.vertices)
    }
    matched = {position: vertex for position, vertex in found.items() if vertex}
    if not matched:
        raise OptionError(
            f"run {report.get('id')} is not a run of this job: no vertex of its report is in the plan",
            hint="plan runs lists the runs and their jobs",
        )
    return matched


def _batches(report: Report) -> Sequence[Mapping[str, Any]]:
    """The batches of a streaming run, the latest last; none of another."""
    return report.get("batches") or ()


def _note(vertex: Mapping[str, Any], stream: str) -> str:
    parts = [stream] if stream else []
    parts += [shown_seconds(vertex["seconds"])] if vertex.get("seconds") is not None else []
    if vertex.get("skew") is not None and vertex["parallelism"] > 1:
        parts.append(f"skew {vertex['skew']:.1f}")
    tries = vertex["attempts"] + vertex["attempt"] - 1
    parts += [f"{tries} attempts"] if tries > 1 else []
    parts += [vertex["state"]] if vertex["state"] != "FINISHED" else []
    return ", ".join(parts) or vertex["state"]


def _vertex(vertex: Mapping[str, Any], *, few: bool) -> dict[str, Any]:
    return {
        "state": vertex["state"],
        "seconds": shown_seconds(vertex.get("seconds")),
        "skew": None if vertex.get("skew") is None else round(vertex["skew"], 2),
        "attempts": vertex["attempts"] + vertex["attempt"] - 1,
        "hosts": list(vertex.get("hosts", ())),
        "shuffleRead": shown_bytes(vertex.get("shuffle_read")),
        "shuffleWrite": shown_bytes(vertex.get("shuffle_write")),
        "subtasks": {
            str(one["subtask"]): [shown_seconds(one["seconds"]), one["attempt"] + 1, one["host"]]
            for one in vertex["subtasks"]
        }
        if few
        else {},
    }


def _records(operator: Mapping[str, Any]) -> str:
    taken, given = operator.get("records_in"), operator.get("records_out")
    parts = [f"{_count(taken)} in"] if taken else []  # a source takes nothing in
    parts += [f"{_count(given)} out"] if given is not None else []
    return ", ".join(parts)


def _count(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")
