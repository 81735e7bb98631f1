"""What an argument of the command line means: a file, a folder, stdin, or the address of a cluster."""

from __future__ import annotations

import sys
from pathlib import Path

from planner.errors import OptionError
from planner.frontends.flink_export.documents import Export, looks_like_export, read_export
from planner.frontends.flink_export.live import Answering
from planner.frontends.flink_export.saved import MOST_BYTES, SavedJob, is_saved_folder, read_file, read_saved
from planner.observed.job import ObservedJob
from planner.observed.plan import plan_observed
from planner.observed.reading import observe_both, observe_job_plan, observe_stream_graph, observe_stream_plan
from planner.pipeline import Plan

STDIN = "-"
_ADDRESS = ("http://", "https://")
_JOB_FILES = (".py", ".yaml", ".yml")


def is_address(argument: str) -> bool:
    """Whether an argument is the address of a cluster."""
    return argument.lower().startswith(_ADDRESS)


def is_export(argument: str) -> bool:
    """Whether an argument is one of Flink's exports, and not a job file of ours."""
    if argument == STDIN or is_address(argument):
        return True
    path = Path(argument)
    if path.is_dir():
        return is_saved_folder(path)
    if path.suffix.lower() in _JOB_FILES or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return False
    try:
        return looks_like_export(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        return False


def read_argument(argument: str) -> Export:
    """The export that an argument means."""
    if argument == STDIN:
        return read_export(_stdin(), "stdin")
    if is_address(argument):
        from planner.frontends.flink_export.cluster import read_running

        return read_running(argument)
    path = Path(argument)
    return read_saved(path) if path.is_dir() else read_export(read_file(path), argument)


def answering(argument: str) -> Answering:
    """The cluster, or the folder of a saved one, that can tell live figures."""
    if is_address(argument):
        from planner.frontends.flink_export.cluster import find_running

        return find_running(argument)
    if Path(argument).is_dir():
        return SavedJob(Path(argument))
    raise OptionError(
        f"{argument} has no live figures", hint="give the address of a running job, or a folder of plan save"
    )


def load_observed(argument: str, *others: str) -> ObservedJob:
    """The job that an argument means, completed by other exports of the same job."""
    found = read_argument(argument)
    for other in others:
        found = found.beside(read_argument(other))
    return observe(found)


def load_export(argument: str, *others: str) -> Plan:
    """The plan of the job that an argument means, completed by other exports of the same job."""
    return plan_observed(load_observed(argument, *others), argument)


def observe(export: Export) -> ObservedJob:
    """The job that an export describes."""
    if export.stream is not None and export.job is not None and any(node.vertex for node in export.stream.nodes):
        return observe_stream_graph(export.stream, export.job, export.facts)
    if export.stream is not None and export.job is not None:
        return observe_both(export.stream, export.job, export.facts)
    if export.job is not None:
        return observe_job_plan(export.job, export.facts)
    if export.stream is None:
        raise OptionError(f"{export.where} describes no job")
    return observe_stream_plan(export.stream, Path(export.where).name, batch=export.batch)


def _stdin() -> str:
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OptionError(f"stdin has more than {MOST_BYTES >> 20} MiB: no plan of Flink is that large")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OptionError(f"stdin is no text: byte {error.start} is not UTF-8") from error
