"""`plan diff`: what changed between two versions of a job, and whether its state survives."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cli import console
from cli.options import FormatOption, complete_job
from cli.render.text.changes import changes_lines
from planner.diff.changes import LEVELS, Change, find_changes, job_change
from planner.diff.comparison import compare
from planner.diff.versions import load_version, pair_jobs
from planner.snapshots.snapshot import Snapshot

_SIDE = "A job file, job.py:NAME, a baseline (plan.lock.json), or git:REV:path."


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=_SIDE, autocompletion=complete_job)],
    new: Annotated[str, typer.Argument(metavar="NEW", help=_SIDE, autocompletion=complete_job)],
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where a change is not safe.")] = False,
    format: FormatOption = "text",
) -> int:
    """Show what changed between two jobs, or a job and a baseline: operators, chains, edges, slots, operator ids.

    Every change is marked: state-breaking (a restored job would not start, or would lose or misread state), performance
    (the same result at another cost), or safe. Comments, order and YAML ids are no change while the plan is the same.

    Examples:
      plan diff old.yaml new.yaml
      plan diff git:main:jobs/orders.py jobs/orders.py --exit-code
      plan diff plan.lock.json job.yaml --format json
    """
    before, after = load_version(old), load_version(new)
    found = [(_name(*pair), _changes(*pair)) for pair in pair_jobs(before, after)]
    if format == "json":
        console.write_json(_document(old, new, found))
    else:
        for name, changes in found:
            console.write_lines(changes_lines(name, changes))
    breaking = any(change.level != "safe" for _, changes in found for change in changes)
    return 1 if exit_code and breaking else 0


def _name(old: Snapshot | None, new: Snapshot | None) -> str:
    side = new or old
    assert side is not None
    return side.name


def _changes(old: Snapshot | None, new: Snapshot | None) -> tuple[Change, ...]:
    if old is not None and new is not None:
        return find_changes(compare(old, new))
    return (job_change(old, new),)


def _document(old: str, new: str, found: list[tuple[str, tuple[Change, ...]]]) -> dict[str, Any]:
    changes = [(name, change) for name, each in found for change in each]
    return {
        "version": 1,
        "old": old,
        "new": new,
        "jobs": [name for name, _ in found],
        "changes": [{"job": name, **change.to_dict()} for name, change in changes],
        "summary": {level: sum(change.level == level for _, change in changes) for level in LEVELS},
    }
