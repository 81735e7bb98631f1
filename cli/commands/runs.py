"""`plan runs`: earlier and running runs."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import console
from cli.options import FormatOption
from cli.render.styled import Line, line, table
from cli.run_ids import complete_run

if TYPE_CHECKING:
    from spark_runner.runs.store import RunFolder, RunRecord

STYLES = {"FINISHED": "good", "FAILED": "bad", "CANCELED": "warning"}


def runs(
    id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="One run, by its id or its beginning.", autocompletion=complete_run),
    ] = None,
    format: FormatOption = "text",
) -> None:
    """List the runs of this folder, or show one with its events and figures.

    Examples:
      plan runs
      plan runs 20261116-014512-3f9a
      plan runs --format json
    """
    from spark_runner.runs.store import RunStore

    store = RunStore.under(Path.cwd())
    if id is not None:
        _show(store.folder(id), format)
        return
    records = store.runs()
    for damage in store.unreadable():
        console.message(damage, "warning")
    if format == "json":
        console.write_json({"runs": [record.to_dict() for record in records]})
    elif records:
        console.write_lines(_table(records))
    else:
        console.message("no runs yet: `plan run JOB` makes the first")


def _table(records: tuple[RunRecord, ...]) -> list[Line]:
    head = tuple((name, "dim") for name in ("id", "state", "job", "master", "submitted", "time", "attempt"))
    rows = [
        (
            record.id,
            (f"{record.state} (process died)" if record.died else record.state, STYLES.get(record.state, "")),
            record.name or record.request.job,
            record.request.master,
            _moment(record.submitted),
            _took(record),
            str(record.attempt),
        )
        for record in records
    ]
    return table([head, *rows])


def _show(folder: RunFolder, format: str) -> None:
    record, report = folder.seen(), _report(folder)
    if format == "json":
        console.write_json({**record.to_dict(), "events": list(folder.events()), "report": report})
        return
    lines = [
        line((record.id, "title"), "  ", (record.state, STYLES.get(record.state, "")), "  ", record.name or ""),
        line(f"job {record.request.job} on {record.request.master}, attempt {record.attempt}, {_took(record)}"),
    ]
    if record.message:
        lines += [line(part) for part in record.message.splitlines()]
    lines += [line(f"  {_moment(event['time'])}  {_told(event)}") for event in folder.events()]
    console.write_lines(lines)
    if report is not None:
        from cli.render.text.run_report import report_lines

        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        console.write_text("\n".join(report_lines(report, width=width)))
    if folder.log.exists():
        console.write_text(f"Spark's log, and what functions print(): {folder.log}")


def _report(folder: RunFolder) -> dict[str, Any] | None:
    if not folder.report.is_file():
        return None
    try:
        return dict(json.loads(folder.report.read_bytes()))
    except (ValueError, TypeError):
        console.message(f"{os.path.relpath(folder.report)} is damaged: the run has no figures", "warning")
        return None


def _told(event: dict[str, Any]) -> str:
    message = f": {event['message']}" if event.get("message") else ""
    subject = f"vertex {event.get('vertex')} {event.get('name')}" if event.get("type") == "vertex" else "run"
    what = "waits" if event.get("type") == "waiting" else event.get("state", "")
    return f"{subject} {what}{message}"


def _took(record: RunRecord) -> str:
    from cli.render.text.run_report import shown_seconds

    return shown_seconds(record.seconds)


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
