"""A folder with the answers of a cluster: what `plan save` writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from planner.errors import JobDefinitionError, OptionError
from planner.frontends.flink_export.documents import Export, read_document, read_export
from planner.frontends.flink_export.fields import is_object, parse_json
from planner.records import record

MOST_BYTES = 64 << 20  # of one file or one answer
STREAM_PLAN, JOB, PLAN, VERTICES = "streamplan.json", "job.json", "plan.json", "vertices"
CHECKPOINT = "checkpoint_details.json"


@record(kw_only=False)
class SavedJob:
    """A job whose cluster was saved: it answers as the cluster did."""

    folder: Path

    def ask(self, path: str) -> Any | None:
        """What the cluster answered under `/jobs/ID` and `path`; None where that was not saved."""
        file = self.folder / file_of(path)
        return read_json(file) if file.is_file() else None


def file_of(path: str) -> str:
    """The file for the answer of `/jobs/ID` and `path`."""
    bare, _, query = path.partition("?")
    parts = [part for part in bare.split("/") if part]
    if parts[:1] == ["vertices"]:
        return f"{VERTICES}/{'_'.join(parts[1:])}{'_values' if query else ''}.json"
    if parts[:2] == ["checkpoints", "details"]:
        return CHECKPOINT
    return f"{'_'.join(parts) or 'job'}.json"


def is_saved_folder(path: Path) -> bool:
    """Whether a folder holds saved answers of a cluster."""
    return path.is_dir() and ((path / PLAN).is_file() or ((path / JOB).is_file() and (path / VERTICES).is_dir()))


def read_saved(folder: Path) -> Export:
    """The job in a folder; a `streamplan.json` beside the answers makes its explanation complete."""
    names = metric_names(folder)
    job = folder / JOB
    found = read_document(read_json(job), str(job), names) if job.is_file() else None
    if found is None or found.job is None:
        found = read_document(read_json(folder / PLAN), str(folder / PLAN))
    planned = folder / STREAM_PLAN
    if planned.is_file():
        stream = read_export(read_file(planned), str(planned))
        if stream.stream is not None:
            found = replace(found, stream=_with_exchanges(stream, found).stream)
    return replace(found, where=str(folder))


def read_json(path: Path) -> Any:
    """The JSON document in a file."""
    return parse_json(read_file(path), str(path))


def read_file(path: Path) -> str:
    """A text file of bounded size."""
    if not path.is_file():
        raise OptionError(f"there is no file {str(path)!r}", hint="check the path")
    if path.stat().st_size > MOST_BYTES:
        raise OptionError(f"{path} has more than {MOST_BYTES >> 20} MiB: no plan of Flink is that large")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JobDefinitionError(f"{path} is no text: byte {error.start} is not UTF-8") from error


def metric_names(folder: Path) -> dict[str, list[str]]:
    """By vertex id, the names of its metrics, where they were saved."""
    found: dict[str, list[str]] = {}
    for path in sorted((folder / VERTICES).glob("*_metrics.json")):
        vertex = path.name.removesuffix("_metrics.json")
        if "_" in vertex:  # other answers end alike: ID_subtasks_metrics.json
            continue
        found[vertex] = names_of(read_json(path))
    return found


def names_of(document: Any) -> list[str]:
    """The metric names in an answer of `/metrics`."""
    entries = document if isinstance(document, list) else []
    return [entry["id"] for entry in entries if is_object(entry) and isinstance(entry.get("id"), str)]


def _with_exchanges(planned: Export, deployed: Export) -> Export:
    """The stream plan with the exchange modes that the stream graph of an adaptive batch job has for the same edges."""
    stream, graph = planned.stream, deployed.stream
    if stream is None or graph is None:
        return planned
    modes = {(graph.nodes[e.source].id, graph.nodes[e.target].id): e.exchange for e in graph.edges}
    edges = tuple(
        replace(edge, exchange=modes.get((stream.nodes[edge.source].id, stream.nodes[edge.target].id)))
        for edge in stream.edges
    )
    return replace(planned, stream=replace(stream, edges=edges))
