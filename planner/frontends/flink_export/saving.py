"""What `plan save` keeps of a running job: what explain, diff and live figures need, and nothing with secrets in it.

The job's configuration, its environment and its exceptions are never asked for: they may hold passwords.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from planner.frontends.flink_export.cluster import RunningJob
from planner.frontends.flink_export.fields import is_object
from planner.frontends.flink_export.live import flow_queries, vertex_ids
from planner.frontends.flink_export.saved import file_of, names_of

_OF_THE_JOB = ("/plan", "/checkpoints", "/checkpoints/config")
_OF_A_VERTEX = ("", "/backpressure", "/metrics")


def saved_files(job: RunningJob) -> Iterator[tuple[str, str]]:
    """The files of a saved folder, each with its content."""
    details = job.get()
    yield _file("", details)
    for path in _OF_THE_JOB:
        answer = job.ask(path)
        if answer is None:
            continue
        yield _file(path, answer)
        if path == "/checkpoints":
            yield from _latest_checkpoint(job, answer)
    for vertex in vertex_ids(details):
        yield from _vertex_files(job, vertex)


def _vertex_files(job: RunningJob, vertex: str) -> Iterator[tuple[str, str]]:
    for end in _OF_A_VERTEX:
        path = f"/vertices/{vertex}{end}"
        answer = job.ask(path)
        if answer is None:
            continue
        yield _file(path, answer)
        if end == "/metrics":
            values: list[Any] = []
            for query in flow_queries(names_of(answer)):
                found = job.ask(f"{path}?get={query}")
                values += found if isinstance(found, list) else []
            yield _file(f"{path}?get=", values)


def _latest_checkpoint(job: RunningJob, overview: Any) -> Iterator[tuple[str, str]]:
    latest = overview.get("latest") if is_object(overview) else None
    done = latest.get("completed") if is_object(latest) else None
    number = done.get("id") if is_object(done) else None
    answer = job.ask(f"/checkpoints/details/{number}") if isinstance(number, int) else None
    if answer is not None:
        yield _file(f"/checkpoints/details/{number}", answer)


def _file(path: str, answer: Any) -> tuple[str, str]:
    query = path.endswith("?get=")
    name = file_of(path.removesuffix("?get=") + ("?get=all" if query else ""))
    return name, json.dumps(answer, indent=1, ensure_ascii=False) + "\n"
