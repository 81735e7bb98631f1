"""Drift as text: what is the same, then every difference with both values."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.styled import Line, Span, indented, line, table
from cli.render.words import count
from planner.observed.deployed import DeployedJob
from planner.observed.drift import Drift

_STATE = "state would be lost or refused, or may be, if the plan were deployed with the running job's state"


def drift_lines(
    planned: str, running: str, before: DeployedJob, after: DeployedJob, drift: Sequence[Drift]
) -> list[Line]:
    """The whole comparison."""
    head = [
        line((after.name, "title")),
        *indented(table([(("planned", "dim"), planned), (("running", "dim"), running)])),
        (),
    ]
    if not drift:
        what = count(len(after.vertices) or len(after.operators), "task" if after.vertices else "operator")
        return [*head, line(("no drift", "good"), f": {what} as planned, {_compared(before, after)}")]
    touched = [one for one in drift if one.state]
    lines = [*head, line((count(len(drift), "difference"), "broken"), f" ({_compared(before, after)} compared)")]
    if touched:
        lines += indented([line((_STATE, "warning")), *indented(_rows(touched))])
    rest = [one for one in drift if not one.state]
    if rest:
        lines += indented([line(("state is kept", "dim")), *indented(_rows(rest))])
    return lines


def _rows(drift: Sequence[Drift]) -> list[Line]:
    rows: list[Sequence[str | Span]] = [((one.kind, "code"), (one.subject, "operator"), one.message) for one in drift]
    return table(rows)


def _compared(before: DeployedJob, after: DeployedJob) -> str:
    parts = ["parallelism", "ship strategies"]
    if before.vertices and after.vertices:
        parts = ["chains", "ids", *parts]
    if before.slots is not None and after.slots is not None:
        parts.append("slots")
    return ", ".join(parts)
