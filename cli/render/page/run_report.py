"""A run's report as one self-contained page, with the look of the plan's page and a link to it."""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import quote

from cli.render.page import document
from cli.render.pictures.palette import heat_step
from cli.render.text.run_report import shown_bytes, shown_seconds

_WIDTH, _HEIGHT = 640, 80
_MOST = 1_000  # points of one line
_DATES = 10**11  # milliseconds from which on a watermark is a date of our days


def batch_charts(batches: Sequence[dict[str, Any]]) -> str:
    """Charts of a run's batches; nothing for a run without."""
    if not batches:
        return ""
    shown = batches[:: max(1, len(batches) // _MOST)]
    charts = "".join(_chart(title, [value(batch) for batch in shown]) for title, value in _CHARTS)
    return f'<h2>{_counted(len(batches))}, over time</h2><div class="charts">{charts}</div>'


def _counted(batches: int) -> str:
    return "1 batch" if batches == 1 else f"{batches} batches"


def _records_read(batch: dict[str, Any]) -> float:
    return float(sum(one["records_in"] for one in batch["vertices"] if one["name"].startswith("Source: ")))


def _lag(batch: dict[str, Any]) -> float | None:
    marks = [one["watermark"] for one in batch["vertices"] if one["watermark"] is not None]
    dates = [mark for mark in marks if _DATES < mark < 2**62]
    return max(0.0, batch["ended"] - min(dates) / 1000) if dates else None


_CHARTS: tuple[tuple[str, Callable[[dict[str, Any]], float | None]], ...] = (
    ("records in", _records_read),
    ("seconds", lambda batch: float(batch["seconds"])),
    ("keys in state", lambda batch: float(sum(one["keys"] for one in batch["vertices"]))),
    ("watermark lag, seconds", _lag),
)


def _chart(title: str, values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known or max(known) == 0:
        return ""
    top, step = max(known), _WIDTH / max(1, len(values) - 1)
    points = " ".join(
        f"{at * step:.1f},{_HEIGHT - value / top * _HEIGHT:.1f}" for at, value in enumerate(values) if value is not None
    )
    area = f"0,{_HEIGHT} {points} {_WIDTH},{_HEIGHT}"
    return (
        f"<figure><figcaption><b>{title}</b>, up to {_plotted(top)}, at last {_plotted(known[-1])}</figcaption>"
        f'<svg viewBox="0 -2 {_WIDTH} {_HEIGHT + 4}" preserveAspectRatio="none" role="img" aria-label="{title}">'
        f'<polygon points="{area}" fill="currentColor" fill-opacity=".12"/>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5" '
        'vector-effect="non-scaling-stroke"/></svg></figure>'
    )


def _plotted(value: float) -> str:
    """Large numbers whole, small ones with what can be seen of them."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


# (title, whether it is a number)
_COLUMNS = (
    ("Task, operator", False),
    ("State", False),
    ("Subtasks", True),
    ("In", True),
    ("Out", True),
    ("Time", True),
    ("Skew", True),
    ("Shuffle in", True),
    ("Shuffle out", True),
    ("Attempts", True),
    ("Stage", True),
    ("Host", False),
)
MOST_BARS = 2_000

Report = dict[str, Any]


def report_page(report: Report, plan_page: str | None = None) -> str:
    """The whole page; `plan_page`: the name of the page of the plan, in the same folder."""
    style = document.asset("look.css") + document.asset("run_report.css") + document.named_colours()
    script = document.script(("theme.js",))
    address = html.escape(quote(plan_page)) if plan_page else None
    parts = (
        _summary(report),
        _figures(report, address),
        _sinks(report),
        batch_charts(report.get("batches", ())),
        _timeline(report),
    )
    return document.filled(
        document.asset("run_report.html"),
        {
            "POLICY": document.policy(script=script, style=style),
            "TITLE": html.escape(f"{report['name'] or 'job'}: run {report['id']}"),
            "STYLE": style,
            "LINK": f'<a href="{address}">The plan with these figures</a>' if address else "",
            "CONTENT": "\n".join(part for part in parts if part),
            "SCRIPT": script,
        },
    )


def _summary(report: Report) -> str:
    """How it ended, and the figures that people ask for first."""
    submitted = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(report["submitted"]))
    state = html.escape(report["state"])
    place = f"{html.escape(report['mode'])} on {html.escape(report['master'])}, submitted {submitted}"
    shade = "bad" if report["state"] == "FAILED" else "muted"
    message = f'<pre class="{shade}">{html.escape(report["message"])}</pre>' if report["message"] else ""
    figures = "".join(
        f'<div class="tile"><b>{figure}</b><span>{words}</span></div>' for figure, words in _tiles(report)
    )
    return f'<p><span class="chip {state}">{state}</span> {place}</p>{message}<div class="tiles">{figures}</div>'


def _tiles(report: Report) -> list[tuple[str, str]]:
    vertices = report["vertices"]
    longest = max((vertex["seconds"] or 0 for vertex in vertices), default=0)
    slowest = next((vertex["vertex"] + 1 for vertex in vertices if longest and vertex["seconds"] == longest), None)
    read = _sum(
        operator["records_out"] for vertex in vertices for operator in vertex["operators"] if _is_source(operator)
    )
    written = _sum(sink["records"] for sink in report.get("sinks", ()))
    tiles = [
        (shown_seconds(report["seconds"]), "in all"),
        (str(len(vertices)), "tasks"),
        (str(sum(vertex["parallelism"] for vertex in vertices)), "subtasks"),
        (_number(read), "records from sources"),
        (_number(written), "records into sinks"),
        (shown_seconds(longest), f"longest: task {slowest}" if slowest else ""),
        (str(report["attempt"]), "attempt"),
    ]
    return [(figure, words) for figure, words in tiles if words and figure != "-"]


def _is_source(operator: Report) -> bool:
    return str(operator["name"]).startswith("Source: ")


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _number(number: int | None) -> str:
    return "-" if number is None else f"{number:,}".replace(",", "\u202f")


def _records(number: int | None) -> str:
    return "not counted" if number is None else f"{_number(number)} record{'' if number == 1 else 's'}"


def _figures(report: Report, address: str | None) -> str:
    heads = "".join(f'<th scope="col"{_aligned(number)}>{title}</th>' for title, number in _COLUMNS)
    longest = max((vertex["seconds"] or 0 for vertex in report["vertices"]), default=0)
    bodies = "".join(_vertex(vertex, longest, address) for vertex in report["vertices"])
    return (
        '<h2>Tasks</h2><div class="scroll" tabindex="0" role="region" aria-label="Tasks">'
        f'<table class="figures"><thead><tr>{heads}</tr></thead>{bodies}</table></div>'
    )


def _aligned(number: bool) -> str:
    return ' class="n"' if number else ""


def _row(kind: str, name: str, cells: tuple[str, ...], heat: int | None = None) -> str:
    figures = "".join(
        f"<td{_aligned(number) if heat is None or title != 'Time' else _hot(heat)}>{cell}</td>"
        for cell, (title, number) in zip(cells, _COLUMNS[1:], strict=True)
    )
    return f'<tr class="{kind}"><th scope="row" class="name">{name}</th>{figures}</tr>'


def _hot(heat: int) -> str:
    return f' class="n heat-{heat}"'


def _vertex(vertex: Report, longest: float, address: str | None) -> str:
    state = html.escape(vertex["state"])
    cells = (
        f'<span class="{state}">{state}</span>',
        str(vertex["parallelism"]),
        "",
        "",
        shown_seconds(vertex["seconds"]),
        "-" if vertex["skew"] is None else f"{vertex['skew']:.1f}",
        shown_bytes(vertex["shuffle_read"]),
        shown_bytes(vertex["shuffle_write"]),
        str(vertex["attempts"] + vertex["attempt"] - 1),
        ",".join(map(str, vertex["stages"])) or "-",
        html.escape(", ".join(vertex["hosts"]) or "-"),
    )
    number = vertex["vertex"] + 1
    title = f"{number}. {html.escape(vertex['name'])}"
    name = f'<a href="{address}#task={number}">{title}</a>' if address else title
    heat = heat_step((vertex["seconds"] or 0) / longest) if longest else None
    row = _row("task", name, cells, heat)
    return f"<tbody>{row}{''.join(_operator(one) for one in vertex['operators'])}</tbody>"


def _operator(operator: Report) -> str:
    counts = (_number(operator["records_in"]), _number(operator["records_out"]))
    name = html.escape(f"{operator['name']} ({operator['key']})")
    return _row("op", name, ("", "", *counts, *[""] * (len(_COLUMNS) - 5)))


def _sinks(report: Report) -> str:
    """What was written, and where to."""
    rows = "".join(
        f'<tr><th scope="row">{html.escape(sink["operator"])}</th><td class="n">{_records(sink["records"])}</td>'
        f"<td>{html.escape(sink['path'] or sink['format'])}</td></tr>"
        for sink in report.get("sinks", ())
    )
    return f'<h2>Written</h2><table class="sinks"><tbody>{rows}</tbody></table>' if rows else ""


def _timeline(report: Report) -> str:
    """Every subtask as a bar, from the run's first to its last moment; of a stream, its work in all batches."""
    spans = [
        (vertex, subtask)
        for vertex in report["vertices"]
        for subtask in vertex["subtasks"]
        if subtask["started"] is not None and subtask["seconds"] is not None
    ]
    if not spans:
        return ""
    if report["mode"] == "streaming":  # it works again with every batch, and waits in between
        spans = [(vertex, {**subtask, "started": 0.0}) for vertex, subtask in spans]
    first = min(subtask["started"] for _, subtask in spans)
    length = max(subtask["started"] + subtask["seconds"] for _, subtask in spans) - first or 1
    rows = "".join(_bar(vertex, subtask, first, length) for vertex, subtask in spans[:MOST_BARS])
    rest = f"<p>and {len(spans) - MOST_BARS} more</p>" if len(spans) > MOST_BARS else ""
    title = "Time of subtasks, all batches together" if report["mode"] == "streaming" else "Subtasks, over time"
    return f'<h2>{title}</h2><table class="bars"><tbody>{rows}</tbody></table>{rest}'


def _bar(vertex: Report, subtask: Report, first: float, length: float) -> str:
    left, width = 100 * (subtask["started"] - first) / length, 100 * subtask["seconds"] / length
    label = html.escape(f"task {vertex['vertex'] + 1} [{subtask['subtask']}] {subtask['host'] or ''}")
    took = shown_seconds(subtask["seconds"])
    bar = (
        '<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect x="{left:.2f}" width="{max(width, 0.3):.2f}" height="4"/></svg>'
    )
    return f'<tr><th scope="row" class="label">{label}</th><td>{bar}</td><td class="n took">{took}</td></tr>'
