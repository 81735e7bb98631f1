"""What is known of a streaming run before a session starts: its program, its checkpoint, its trigger. No PySpark."""

from __future__ import annotations

from pathlib import Path

from planner.errors import OptionError, UnsupportedOnSpark
from spark_runner.clusters.request import RunRequest, parse_trigger
from spark_runner.program.chunks import ChunkPlan
from spark_runner.streaming.checkpoint import Checkpoint
from spark_runner.streaming.needs import check_connectors
from spark_runner.streaming.storage import local_folder

__all__ = ["check_stream", "open_checkpoint", "stream_interval"]


def check_stream(job: ChunkPlan, request: RunRequest) -> None:
    """Refuse a run that cannot go well: the master, and the checkpoint's state against the job's."""
    if request.deploy_mode == "cluster":
        raise OptionError(
            "--deploy-mode cluster: streaming runs with the driver on the cluster are not supported yet",
            hint="leave it out: the driver then runs here",
        )
    check_connectors(job, request)
    if request.checkpoint is not None:
        checkpoint = open_checkpoint(request, Path())
        checkpoint.check_free()
        checkpoint.check(job)
    elif request.allow_lost_state:
        raise OptionError("--allow-lost-state is for a --checkpoint that has state")
    _check_collected(job, request)


def _check_collected(job: ChunkPlan, request: RunRequest) -> None:
    interval, once = stream_interval(request, job)
    for sink in job.sinks:
        if sink.kind == "collect" and interval is not None and not once:
            raise UnsupportedOnSpark(
                "execute_and_collect gives its records when the job is over, and this one never ends",
                location=sink.operator.location,
                hint="end it with --trigger available-now, or print the records",
            )


def open_checkpoint(request: RunRequest, run_folder: Path) -> Checkpoint:
    """The checkpoint a run asked for, else one inside the run's own folder."""
    lost = frozenset(request.allow_lost_state)
    if request.checkpoint is None:
        return Checkpoint(run_folder / "checkpoint", lost=lost)
    return Checkpoint(local_folder(request.checkpoint, Path(request.folder)), lost=lost)


def stream_interval(request: RunRequest, job: ChunkPlan) -> tuple[int | None, bool]:
    """Milliseconds between batches, None for whatever there is and then end; and whether it is one batch only."""
    if request.trigger is None:
        return (None if job.bounded else 0), False
    trigger = parse_trigger(request.trigger)
    return (None if trigger.available_now else trigger.interval), trigger.once
