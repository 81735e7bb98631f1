"""A run's report as one self-contained page."""

from __future__ import annotations

import html
import time
from typing import Any

from cli.render.text.run_report import shown_bytes, shown_seconds

__all__ = ["report_page"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1c2430; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid #1c2430; } tbody.vertex { border-bottom: 1px solid #ccd3dc; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.op td:first-child { padding-left: 2rem; }
.FINISHED { color: #12723c; } .FAILED { color: #b3261e; } .CANCELED { color: #8a5a00; }
.bar { background: #4c7fc0; height: .7rem; border-radius: .15rem; min-width: 2px; } pre { white-space: pre-wrap; }
.track { background: #eef1f5; border-radius: .15rem; margin: .1rem 0; }
@media (prefers-color-scheme: dark) { body { background: #14181f; color: #dde3ea; } .track { background: #262d38; } }
"""
_COLUMNS = (
    "Vertex, operator",
    "Stage",
    "Subtasks",
    "Attempts",
    "In",
    "Out",
    "Shuffle in",
    "Shuffle out",
    "Time",
    "Skew",
    "Host",
)


def report_page(report: dict[str, Any]) -> str:
    """The whole page."""
    title = html.escape(f"{report['name'] or 'job'}: run {report['id']}")
    heads = "".join(f"<th{' class=n' if 0 < at < 10 else ''}>{name}</th>" for at, name in enumerate(_COLUMNS))
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n<style>{_STYLE}</style>\n'
        f"<h1>{title}</h1>\n{_summary(report)}\n<table><thead><tr>{heads}</tr></thead>\n"
        f"{''.join(_vertex(vertex) for vertex in report['vertices'])}</table>\n{_timeline(report)}\n</html>\n"
    )


def _summary(report: dict[str, Any]) -> str:
    submitted = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(report["submitted"]))
    message = f"<pre>{html.escape(report['message'])}</pre>" if report["message"] else ""
    return (
        f"<p><b class={report['state']}>{report['state']}</b> on {html.escape(report['master'])}, {report['mode']}, "
        f"{shown_seconds(report['seconds'])}, submitted {submitted}, attempt {report['attempt']}</p>{message}"
    )


def _vertex(vertex: dict[str, Any]) -> str:
    cells = (
        ",".join(map(str, vertex["stages"])) or "-",
        f"{vertex['parallelism']} <span class={vertex['state']}>{vertex['state']}</span>",
        str(vertex["attempts"] + vertex["attempt"] - 1),
        "",
        "",
        shown_bytes(vertex["shuffle_read"]),
        shown_bytes(vertex["shuffle_write"]),
        shown_seconds(vertex["seconds"]),
        "-" if vertex["skew"] is None else f"{vertex['skew']:.1f}",
    )
    hosts = html.escape(", ".join(vertex["hosts"]) or "-")
    head = f"<td><b>{vertex['vertex']} {html.escape(vertex['name'])}</b></td>"
    figures = "".join(f"<td class=n>{cell}</td>" for cell in cells)
    operators = "".join(_operator(operator) for operator in vertex["operators"])
    return f"<tbody class=vertex><tr>{head}{figures}<td>{hosts}</td></tr>{operators}</tbody>\n"


def _operator(operator: dict[str, Any]) -> str:
    counts = ["-" if operator[key] is None else str(operator[key]) for key in ("records_in", "records_out")]
    name = html.escape(f"{operator['name']} ({operator['key']})")
    cells = "".join(f"<td class=n>{cell}</td>" for cell in ("", "", "", *counts, "", "", "", ""))
    return f"<tr class=op><td>{name}</td>{cells}<td></td></tr>"


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
    rows = "".join(_bar(vertex, subtask, first, length) for vertex, subtask in spans)
    return f"<h2>Subtasks</h2><table><tbody>{rows}</tbody></table>"


def _bar(vertex: dict[str, Any], subtask: dict[str, Any], first: float, length: float) -> str:
    left, width = 100 * (subtask["started"] - first) / length, 100 * subtask["seconds"] / length
    label = html.escape(f"{vertex['vertex']} [{subtask['subtask']}] {subtask['host'] or ''}")
    bar = f'<div class=bar style="margin-left:{left:.2f}%;width:{width:.2f}%"></div>'
    took = shown_seconds(subtask["seconds"])
    return f"<tr><td>{label}</td><td style='width:75%'><div class=track>{bar}</div></td><td class=n>{took}</td></tr>"
