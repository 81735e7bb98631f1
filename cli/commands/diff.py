"""`plan diff`: what changed between two versions of a job, and whether its state survives."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cli import console, locate
from cli.options import FormatOption, TextOrJson, complete_job
from cli.render.text.changes import changes_lines
from planner.diff.changes import LEVELS, Change, find_changes, job_change
from planner.diff.comparison import compare
from planner.diff.versions import load_new_plan, load_version, pair_jobs
from planner.snapshots.snapshot import Snapshot

_SIDE = "A job file, job.py:NAME, a baseline (plan.lock.json), or git:REV:path."
_OLD_SIDE = f"{_SIDE} Or a savepoint: its folder, or the file _metadata in it."


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=_OLD_SIDE, autocompletion=complete_job)],
    new: Annotated[str, typer.Argument(metavar="NEW", help=_SIDE, autocompletion=complete_job)],
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where a change is not safe.")] = False,
    format: FormatOption = "text",
) -> int:
    """Show what changed between two jobs, or a job and a baseline: operators, chains, edges, slots, operator ids.

    Every change is marked: state-breaking (a restored job would not start, or would lose or misread state), performance
    (the same result at another cost), or safe. Comments, order and YAML ids are no change while the plan is the same.

    With a savepoint as OLD it says whether NEW restores from it: Flink's own answer, what is lost and why, and the fix.

    Examples:
      plan diff old.yaml new.yaml
      plan diff savepoints/savepoint-4f2a job.py
      plan diff git:main:jobs/orders.py jobs/orders.py --exit-code
      plan diff plan.lock.json job.yaml --format json
    """
    if locate.is_savepoint(old):
        return _restore(old, new, exit_code, format)
    before, after = load_version(old), load_version(new)
    found = [(_name(*pair), _changes(*pair)) for pair in pair_jobs(before, after)]
    if format == "json":
        console.write_json(_document(old, new, found))
    else:
        for name, changes in found:
            console.write_lines(changes_lines(name, changes))
    breaking = any(change.level != "safe" for _, changes in found for change in changes)
    return 1 if exit_code and breaking else 0


def _restore(savepoint: str, new: str, exit_code: bool, format: TextOrJson) -> int:
    """Whether the new job restores from a savepoint."""
    from planner.savepoints.fates import restore

    contents = locate.load_contents(savepoint)
    report = restore(load_new_plan(new), contents)
    if format == "json":
        console.write_json({"version": 1, "savepoint": savepoint, "new": new, **report.to_dict()})
    else:
        from cli.render.text.restore import restore_lines

        console.write_lines(restore_lines(report))
    return 1 if exit_code and not report.restores else 0


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
