"""`--report FILE`: checked before a run starts, written when it is over."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from cli.files import write_whole
from planner.errors import ExecutionError, OptionError
from planner.pipeline import Plan

__all__ = ["check_report_file", "write_report"]


def check_report_file(report: str) -> None:
    """Refuse a file that could not be written at the end of the run."""
    path, folder = Path(report), Path(report).absolute().parent
    if path.suffix not in (".json", ".html"):
        raise OptionError(f"--report {report}: a report is a .json or an .html file")
    if not folder.is_dir():
        raise OptionError(f"--report {report}: there is no folder {folder}", hint="create it first")
    if path.is_dir():
        raise OptionError(f"--report {report}: that is a folder")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise OptionError(f"--report {report}: it cannot be written", hint="check its permissions")


def write_report(report: Path, document: dict[str, Any], plan: Plan) -> None:
    """Write the report, and beside one in HTML the page of the plan with the run's figures.

    The run is over: what goes wrong here does not make it a run that was not started.
    """
    try:
        write_whole(report, _content(report, document, plan))
    except (OptionError, OSError) as error:
        said = error.message if isinstance(error, OptionError) else str(error)
        raise ExecutionError(
            f"the run is {document['state']}, but its report could not be written: {said}",
            hint=f"`plan runs {document['id']}` shows the same figures",
        ) from error


def _content(report: Path, document: dict[str, Any], plan: Plan) -> str:
    if report.suffix == ".html":
        from cli.render.page.run_report import report_page

        return report_page(document, _plan_page(report, document, plan))
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _plan_page(report: Path, document: dict[str, Any], plan: Plan) -> str | None:
    """The name of the plan's page, which is written beside the report; None where it cannot be drawn."""
    from cli.render.page.plan import PageRequest, to_html

    page = report.with_name(f"{report.stem}-plan.html")
    try:
        content = to_html(plan, PageRequest(spec=plan.job.location.file, report=document))
    except OptionError:  # no Graphviz on this machine: the report stands without it
        return None
    write_whole(page, content)
    return page.name
