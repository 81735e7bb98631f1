"""A diff of plans for people: the gravest changes first."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.styled import Line, line
from planner.diff.changes import LEVELS, Change, Level

__all__ = ["MEANINGS", "changes_lines"]

_STYLES: dict[Level, str] = {
    "state-breaking": "error",
    "result": "warning",
    "performance": "warning",
    "safe": "good",
}
MEANINGS: dict[Level, str] = {
    "state-breaking": "a job restored from the old version would not start, or would lose or misread state",
    "result": "the job computes something else; its state is kept",
    "performance": "the same result at another cost",
    "safe": "neither the result, nor the cost, nor the state changes",
}


def changes_lines(name: str, changes: Sequence[Change]) -> list[Line]:
    """The changes of one job under the heading of their level."""
    counts = [(sum(change.level == level for change in changes), level) for level in LEVELS]
    summary = ", ".join(f"{count} {level}" for count, level in counts if count) or "no changes"
    lines: list[Line] = [line((name, "title"), f": {summary}")]
    for level in LEVELS:
        found = [change for change in changes if change.level == level]
        if found:
            lines += [(), line((level, _STYLES[level]), (f"  {MEANINGS[level]}", "dim"))]
            lines += [spans for change in found for spans in _change(change)]
    return lines


def _change(change: Change) -> list[Line]:
    lines = [line("  ", change.message)]
    if change.kind == "operator-id":
        lines.append(line(("    " + f"{change.before} -> {change.after}", "dim")))
    return lines
