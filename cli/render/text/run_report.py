"""A run's report as lines of a table, from the same plain data that `report.json` holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cli.render.words import memory_words

__all__ = ["align", "report_lines", "shown_bytes", "shown_name", "shown_seconds"]

_HEAD = (
    "vertex / operator",
    "stage",
    "subtasks",
    "attempts",
    "in",
    "out",
    "shuffle in",
    "shuffle out",
    "time",
    "skew",
    "host",
)
_RIGHT = frozenset(range(1, 10))
_LONGEST_NAME = 120  # characters of a vertex's name


def report_lines(report: dict[str, Any], *, width: int | None = None) -> list[str]:
    """The figures of each vertex, and under it those of its operators; then the sinks.

    A table, or sentences where a terminal of `width` columns would break its lines.
    """
    rows: list[Sequence[str]] = [_HEAD]
    for vertex in report["vertices"]:
        rows.append(_vertex_row(vertex))
        rows += [_operator_row(operator) for operator in vertex["operators"]]
    lines = align(rows, _RIGHT)
    if width is not None and max(map(len, lines)) > width:
        lines = [line for vertex in report["vertices"] for line in _vertex_sentences(vertex)]
    return [*lines, *_sink_lines(report["sinks"])]


def align(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Rows with their columns under each other, those of `right` ending together."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def shown_seconds(seconds: float | None) -> str:
    """A duration to read: `850 ms`, `3.2 s`, `4 min 10 s`."""
    if seconds is None:
        return "-"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def shown_bytes(size: int | None) -> str:
    """A size to read; "-" where it is not known."""
    return "-" if size is None else memory_words(size)


def shown_name(name: str) -> str:
    """A vertex's name to read: of a long chain, where it starts and where it ends. Its operators are listed anyway."""
    if len(name) <= _LONGEST_NAME:
        return name
    first, *others = name.split(" -> ")
    for other in others:
        if len(first) + len(other) > _LONGEST_NAME // 2:
            break
        first += f" -> {other}"
    return f"{first} -> ... -> {others[-1]}" if len(others) > 1 else f"{name[: _LONGEST_NAME - 4]} ..."


def _vertex_row(vertex: dict[str, Any]) -> Sequence[str]:
    skew = vertex["skew"]
    return (
        f"{vertex['vertex']} {shown_name(vertex['name'])}",
        ",".join(str(stage) for stage in vertex["stages"]) or "-",
        str(vertex["parallelism"]) if vertex["state"] == "FINISHED" else f"{vertex['parallelism']} {vertex['state']}",
        str(vertex["attempts"] + vertex["attempt"] - 1),
        "",
        "",
        shown_bytes(vertex["shuffle_read"]),
        shown_bytes(vertex["shuffle_write"]),
        shown_seconds(vertex["seconds"]),
        "-" if skew is None else f"{skew:.1f}",
        ",".join(vertex["hosts"]) or "-",
    )


def _vertex_sentences(vertex: dict[str, Any]) -> list[str]:
    row = dict(zip(_HEAD, _vertex_row(vertex), strict=True))
    counts = align(
        [
            (f"    {o['name']} ({o['key']})", f"{_count(o['records_in'])} in", f"{_count(o['records_out'])} out")
            for o in vertex["operators"]
        ]
        or [("", "", "")],
        frozenset({1, 2}),
    )
    return [
        row["vertex / operator"],
        f"  stage {row['stage']}, subtasks {row['subtasks']}, attempts {row['attempts']}, time {row['time']}",
        f"  shuffle {row['shuffle in']} in, {row['shuffle out']} out, skew {row['skew']}, host {row['host']}",
        *(line for line in counts if line),
    ]


def _operator_row(operator: dict[str, Any]) -> Sequence[str]:
    counts = [_count(operator["records_in"]), _count(operator["records_out"])]
    return (f"    {operator['name']} ({operator['key']})", "", "", "", *counts, "", "", "", "", "")


def _count(records: int | None) -> str:
    return "-" if records is None else str(records)


def _sink_lines(sinks: list[dict[str, Any]]) -> list[str]:
    return [
        f"{sink['operator']}: {_count(sink['records'])} records" + (f" in {sink['path']}" if sink["path"] else "")
        for sink in sinks
        if sink["format"] != "print"
    ]
