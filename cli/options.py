"""Arguments and options that several commands share, so that they are written and spelled once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from planner.frontends.job_files import SUFFIXES

__all__ = [
    "FlinkOption",
    "FormatOption",
    "JobArgument",
    "ReportFormat",
    "ReportFormatOption",
    "StageName",
    "TextOrJson",
]

TextOrJson = Literal["text", "json"]
ReportFormat = Literal["text", "json", "markdown"]
StageName = Literal["stream", "job", "execution", "physical", "all"]


def complete_job(incomplete: str) -> Iterator[str]:
    """Job files and folders that begin with what is typed."""
    folder = Path(incomplete).parent if not incomplete.endswith("/") else Path(incomplete)
    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir()):
        shown = f"{entry}/" if entry.is_dir() else str(entry)
        if shown.startswith(incomplete) and not entry.name.startswith(".") and (entry.is_dir() or _is_job(entry)):
            yield shown


def _is_job(entry: Path) -> bool:
    return entry.suffix in SUFFIXES


JobArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[JOB]",
        help="A .py, .yaml, .yml, .sql or .jar file; FILE:NAME or FILE:2 picks one of its jobs. "
        "Default: [tool.plan] job, else the only job file here.",
        show_default=False,
        autocompletion=complete_job,
    ),
]
FormatOption = Annotated[TextOrJson, typer.Option("--format", help="How to print.")]
ReportFormatOption = Annotated[
    ReportFormat, typer.Option("--format", help="How to print; markdown is for pull requests and step summaries.")
]
FlinkOption = Annotated[
    str | None,
    typer.Option(
        "--flink",
        metavar="VERSION",
        help="Plan as this version of Flink does, 1.18 to 2.3. Default: [tool.plan] flink, else the newest.",
        show_default=False,
    ),
]
