"""Figures as text: one line each while they are measured, and the table of docs/performance.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.results import Results

__all__ = ["line", "markdown", "update_page"]

BEGIN, END = "<!-- figures: written by `make bench` -->", "<!-- end of figures -->"


def line(figure: Figure, before: Figure | None = None) -> str:
    """One figure for the terminal, next to the last result where that was better by more than the spread."""
    sides = f"{_value(figure.ours, figure)}  / {figure.other:<34} {_value(figure.theirs, figure)}"
    ratio = f"= {figure.ratio:.3g} ({figure.low:.3g} to {figure.high:.3g})"
    remarks = [f"target {figure.target:g}{' missed' * figure.missed}"] if figure.target else []
    if before and figure.worse_than(before):
        remarks.append(f"WORSE than the last {before.ratio:.3g} ({before.low:.3g} to {before.high:.3g})")
    elif before and before.worse_than(figure):
        remarks.append(f"better than the last {before.ratio:.3g}")
    return f"{figure.what:<58} {sides}  {ratio}" + "".join(f"; {remark}" for remark in remarks)


def markdown(results: Results, titles: Mapping[str, str]) -> str:
    """The table of docs/performance.md."""
    dates = sorted({measured.date for measured in results.groups})
    when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    return "\n".join(
        [
            f"Measured {when} on: {results.machine}. Each figure is what `plan` takes",
            "divided by what the other side takes, both measured in turns in one run: the median of the rounds, and",
            "between what the middle half of them lies.",
            "",
            "| what | next to | ratio | middle half | target |",
            "| --- | --- | --- | --- | --- |",
            *_rows(results, titles),
        ]
    )


def _rows(results: Results, titles: Mapping[str, str]) -> Iterator[str]:
    for measured in results.groups:
        yield f"| **{titles[measured.group]}** | | | | |"
        for figure in measured.figures:
            target = f"{figure.target:.2g}{' (missed)' * figure.missed}" if figure.target else ""
            spread = f"{figure.low:.3g} to {figure.high:.3g}"
            yield f"| {figure.what} | {figure.other} | {figure.ratio:.3g} | {spread} | {target} |"
        if measured.lacking:
            yield f"| not measured: {measured.lacking} | | | | |"


def update_page(path: Path, table: str) -> None:
    """Put the table between its two marks."""
    text = path.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        raise RuntimeError(f"{path.name} lacks the lines {BEGIN} and {END}: add them where the table belongs")
    head, rest = text.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    path.write_text(f"{head}{BEGIN}\n{table}\n{END}{tail}", encoding="utf-8")


def _value(value: float, figure: Figure) -> str:
    return f"{value:>9.3f} s " if figure.unit == "s" else f"{value:>9.0f} MB"
