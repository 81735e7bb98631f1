"""A run's report as one self-contained page, with the look of the plan's page and a link to it."""

from __future__ import annotations

import html
import time
from typing import Any
from urllib.parse import quote

from cli.render.page import document
from cli.render.page.batches import batch_charts
from cli.render.text.run_report import shown_bytes, shown_seconds

__all__ = ["report_page"]

# (title, whether it is a number)
_COLUMNS = (
    ("Task, operator", False),
    ("Stage", True),
    ("Subtasks", True),
    ("Attempts", True),
    ("In", True),
    ("Out", True),
    ("Shuffle in", True),
    ("Shuffle out", True),
    ("Time", True),
    ("Skew", True),
    ("Host", False),
)
MOST_BARS = 2_000


def report_page(report: dict[str, Any], plan_page: str | None = None) -> str:
    """The whole page; `plan_page`: the name of the page of the plan, in the same folder."""
    style = document.asset("look.css") + document.asset("run_report.css")
    script = document.script(("theme.js",))
    link = f'<a href="{html.escape(quote(plan_page))}">The plan with these figures</a>' if plan_page else ""
    return document.filled(
        document.asset("run_report.html"),
        {
            "POLICY": document.policy(script=script, style=style),
            "TITLE": html.escape(f"{report['name'] or 'job'}: run {report['id']}"),
            "STYLE": style,
            "LINK": link,
            "CONTENT": "\n".join(
                (_summary(report), _figures(report), batch_charts(report.get("batches", ())), _timeline(report))
            ),
            "SCRIPT": script,
        },
    )


def _summary(report: dict[str, Any]) -> str:
    submitted = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(report["submitted"]))
    message = f"<pre>{html.escape(report['message'])}</pre>" if report["message"] else ""
    state = html.escape(report["state"])
    return (
        f'<p><span class="chip {state}">{state}</span> on {html.escape(report["master"])}, '
        f"{html.escape(report['mode'])}, {shown_seconds(report['seconds'])}, submitted {submitted}, "
        f"attempt {report['attempt']}</p>{message}"
    )


def _figures(report: dict[str, Any]) -> str:
    heads = "".join(f'<th scope="col"{_number(number)}>{title}</th>' for title, number in _COLUMNS)
    bodies = "".join(_vertex(vertex) for vertex in report["vertices"])
    return (
        '<h2>Tasks</h2><div class="scroll" tabindex="0" role="region" aria-label="Tasks">'
        f'<table class="figures"><thead><tr>{heads}</tr></thead>{bodies}</table></div>'
    )


def _number(number: bool) -> str:
    return ' class="n"' if number else ""


def _row(kind: str, name: str, cells: tuple[str, ...]) -> str:
    figures = "".join(
        f"<td{_number(number)}>{cell}</td>" for cell, (_, number) in zip(cells, _COLUMNS[1:], strict=True)
    )
    return f'<tr class="{kind}"><th scope="row" class="name">{name}</th>{figures}</tr>'


def _vertex(vertex: dict[str, Any]) -> str:
    state = html.escape(vertex["state"])
    cells = (
        ",".join(map(str, vertex["stages"])) or "-",
        f'{vertex["parallelism"]} <span class="{state}">{state}</span>',
        str(vertex["attempts"] + vertex["attempt"] - 1),
        "",
        "",
        shown_bytes(vertex["shuffle_read"]),
        shown_bytes(vertex["shuffle_write"]),
        shown_seconds(vertex["seconds"]),
        "-" if vertex["skew"] is None else f"{vertex['skew']:.1f}",
        html.escape(", ".join(vertex["hosts"]) or "-"),
    )
    name = f"<b>{vertex['vertex'] + 1}. {html.escape(vertex['name'])}</b>"
    return f"<tbody>{_row('task', name, cells)}{''.join(_operator(one) for one in vertex['operators'])}</tbody>"


def _operator(operator: dict[str, Any]) -> str:
    counts = ["-" if operator[key] is None else str(operator[key]) for key in ("records_in", "records_out")]
    name = html.escape(f"{operator['name']} ({operator['key']})")
    return _row("op", name, ("", "", "", counts[0], counts[1], "", "", "", "", ""))


def _timeline(report: dict[str, Any]) -> str:
    """Every subtask as a bar, from the run's first to its last moment."""
    spans = [
        (vertex, subtask)
        for vertex in report["vertices"]
        for subtask in vertex["subtasks"]
        if subtask["started"] is not None and subtask["seconds"] is not None
    ]
    if not spans:
        return ""
    first = min(subtask["started"] for _, subtask in spans)
    length = max(subtask["started"] + subtask["seconds"] for _, subtask in spans) - first or 1
    rows = "".join(_bar(vertex, subtask, first, length) for vertex, subtask in spans[:MOST_BARS])
    rest = f"<p>and {len(spans) - MOST_BARS} more</p>" if len(spans) > MOST_BARS else ""
    return f'<h2>Subtasks, over time</h2><table class="bars"><tbody>{rows}</tbody></table>{rest}'


def _bar(vertex: dict[str, Any], subtask: dict[str, Any], first: float, length: float) -> str:
    left, width = 100 * (subtask["started"] - first) / length, 100 * subtask["seconds"] / length
    label = html.escape(f"task {vertex['vertex'] + 1} [{subtask['subtask']}] {subtask['host'] or ''}")
    took = shown_seconds(subtask["seconds"])
    bar = (
        '<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect x="{left:.2f}" width="{max(width, 0.3):.2f}" height="4"/></svg>'
    )
    return f'<tr><th scope="row" class="label">{label}</th><td>{bar}</td><td class="n took">{took}</td></tr>'
