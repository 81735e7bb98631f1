"""A run that happened: which subtask ran on which host, in which attempt, for how long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cli.render.pictures.picture import Box, Frame, Picture
from cli.render.pictures.tiles import in_rows
from cli.render.words import count

__all__ = ["run_picture"]

MOST_SUBTASKS = 12  # of one vertex on one host, listed one by one
MOST_HOSTS = 16
IN_A_ROW = 4
NOWHERE = "host not known"

Report = Mapping[str, Any]  # the run's report.json


def run_picture(report: Report) -> Picture:
    """Hosts as frames; in each frame one box per vertex, with its subtasks."""
    hosts = sorted({host for vertex in report["vertices"] for host in _hosts(vertex)})
    shown = hosts[:MOST_HOSTS]
    boxes = [box for number, host in enumerate(shown) for box in _vertices(report, number, host)]
    ids = [f"t{number}" for number in range(len(shown))]
    if len(hosts) > MOST_HOSTS:
        boxes.append(Box(id="rest", title=f"{count(len(hosts) - MOST_HOSTS, 'host')} more", kind="folded"))
        ids.append("rest")
    seconds = report.get("seconds")
    took = f", {seconds:.1f} s" if seconds is not None else ""
    return Picture(
        title=report.get("name") or report["id"],
        subtitle=f"run {report['id']}: {report['state']}{took} on {report['master']}",
        boxes=tuple(boxes),
        clusters=tuple(Frame(id=f"t{number}", title=host, kind="task-manager") for number, host in enumerate(shown)),
        arrangement="grid",
        rows=in_rows(ids, IN_A_ROW),
    )


def _vertices(report: Report, number: int, host: str) -> list[Box]:
    boxes = []
    for vertex in report["vertices"]:
        here = [subtask for subtask in vertex["subtasks"] if (subtask["host"] or NOWHERE) == host]
        if host in _hosts(vertex):
            title = f"{vertex['name']} ({_share(len(here), vertex['parallelism'])})"
            box = Box(
                id=f"t{number}_{vertex['vertex']}",
                title=title,
                lines=_lines(here),
                kind="slot",
                cluster=f"t{number}",
                tooltip=f"{vertex['name']}\n{vertex['id']}",
            )
            boxes.append(box)
    return boxes


def _hosts(vertex: Mapping[str, Any]) -> set[str]:
    """Where a vertex ran; the master may not have said."""
    return {subtask["host"] or NOWHERE for subtask in vertex["subtasks"]} or {NOWHERE}


def _share(here: int, parallelism: int) -> str:
    return count(parallelism, "subtask") if here in (0, parallelism) else f"{here} of {count(parallelism, 'subtask')}"


def _lines(subtasks: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    if not subtasks:
        return ("not measured one by one",)
    if len(subtasks) <= MOST_SUBTASKS:  # Spark counts attempts from 0, people from 1
        return tuple(
            f"subtask {one['subtask']}: {_time(one['seconds'])}, attempt {one['attempt'] + 1}" for one in subtasks
        )
    times = sorted(one["seconds"] for one in subtasks if one["seconds"] is not None)
    again = sum(one["attempt"] > 0 for one in subtasks)
    spread = f"{_time(times[0])} to {_time(times[-1])}" if times else "times not known"
    return (spread, f"median {_time(times[len(times) // 2])}" if times else "", f"{again} retried" if again else "")


def _time(seconds: float | None) -> str:
    return "time not known" if seconds is None else f"{seconds:.2f} s"
