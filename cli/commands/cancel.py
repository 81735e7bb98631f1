"""`plan cancel`: end a run from any terminal."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import console
from cli.options import FormatOption
from cli.run_ids import complete_run
from planner.errors import ExecutionError

if TYPE_CHECKING:
    from spark_runner.runs.store import RunFolder, RunRecord

PATIENCE = 20.0  # seconds


def cancel(
    id: Annotated[
        str, typer.Argument(metavar="ID", help="The run, by its id or its beginning.", autocompletion=complete_run)
    ],
    format: FormatOption = "text",
) -> None:
    """Cancel a run, and wait until it has ended.

    Examples:
      plan cancel 20261116-014512-3f9a
      plan cancel nightly
    """
    from spark_runner.runs.store import FINAL_STATES, RunStore

    folder = RunStore.under(Path.cwd()).folder(id)
    before = folder.seen()
    left = _end_left_behind(folder)
    if left is not None and before.died:
        folder.mark_canceled(f"its process had died, and {left}")
    if before.state not in FINAL_STATES:
        _ask(folder, before)
    record = folder.seen()
    if format == "json":
        console.write_json({"id": record.id, "state": record.state, "died": record.died})
    elif left is not None and before.died:
        console.write_text(f"run {record.id} {record.state}: {record.message}")
    elif before.state in FINAL_STATES:
        console.write_text(f"run {record.id} is {record.state} already" + ("" if left is None else f"; {left}"))
    else:
        console.write_text(f"run {record.id} {record.state}")


def _end_left_behind(folder: RunFolder) -> str | None:
    """What was ended of what a run left on its cluster, in words; None where it left nothing."""
    if folder.left_on_server() is None:
        return None
    from spark_runner.runs.left_behind import end_left_behind

    return end_left_behind(folder)


def _ask(folder: RunFolder, before: RunRecord) -> None:
    """Request cancellation in the run's folder, which reaches other machines too, and signal a process on this one."""
    from spark_runner.clusters.processes import is_alive
    from spark_runner.runs.store import FINAL_STATES

    folder.request_cancel()
    if is_alive(before.process) and before.state != "SUBMITTED":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(before.process.pid, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if folder.seen().state in FINAL_STATES:
            return
        time.sleep(0.05)
    raise ExecutionError(
        f"run {folder.id} was asked to end and is still {folder.record().state}",
        hint=f"its process is {before.process.pid} on {before.process.host}",
    )
