"""`plan diff`: what changed between two versions of a job, and whether its state survives."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cli import console, locate
from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.exports import is_export
from cli.load_options import ApiOption, ParallelismOption, use_load_options
from cli.locate import flink_for
from cli.options import FlinkOption, FormatOption, TextOrJson, complete_job
from cli.render.styled import Line
from cli.render.text.changes import changes_lines
from planner.diff.changes import LEVELS, Change, find_changes, job_change
from planner.diff.comparison import compare
from planner.diff.upgrade import Upgrade, describe_upgrade
from planner.diff.versions import Version, load_new_plan, load_version, pair_jobs
from planner.errors import OptionError
from planner.snapshots.snapshot import Snapshot

_SIDE = "A job file, job.py:NAME, a baseline (plan.lock.json), or git:REV:path; FILE@1.20 plans for Flink 1.20."
_OLD_SIDE = f"{_SIDE} Or a savepoint: its folder, or the file _metadata in it."


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=_OLD_SIDE, autocompletion=complete_job)],
    new: Annotated[str, typer.Argument(metavar="NEW", help=_SIDE, autocompletion=complete_job)],
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where a change is not safe.")] = False,
    format: FormatOption = "text",
    flink: FlinkOption = None,
    flink_old: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Plan OLD for this version of Flink.", show_default=False)
    ] = None,
    flink_new: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Plan NEW for this version of Flink.", show_default=False)
    ] = None,
    api: ApiOption = None,
    parallelism: ParallelismOption = None,
    compiler: CompilerOptions = NO_OPTIONS,
) -> int:
    """Show what changed between two jobs, or a job and a baseline: operators, chains, edges, slots, operator ids.

    Every change is marked: state-breaking (a restored job would not start, or would lose or misread state), result (the
    job computes something else), performance (the same result at another cost), or safe. Comments, order and YAML ids
    are no change while the plan is the same.

    With a savepoint as OLD it says whether NEW restores from it: Flink's own answer, what is lost and why, and the fix.

    With http://HOST:8081/jobs/ID as NEW (or a saved folder, or a plan of Flink) it shows drift: how the job that runs
    differs from the one that was planned, in vertices, chains, parallelism, ship strategies, ids and slots.

    Examples:
      plan diff old.yaml new.yaml
      plan diff job.py http://localhost:8081 --exit-code
      plan diff savepoints/savepoint-4f2a job.py
      plan diff git:main:jobs/orders.py jobs/orders.py --exit-code
      plan diff plan.lock.json job.yaml --format json
      plan diff job.py@1.20 job.py@2.3
    """
    use_load_options(api, parallelism, compiler, flink)
    if locate.is_savepoint(new):
        raise OptionError(f"{new} is a savepoint, which is always the old side", hint="write plan diff SAVEPOINT JOB")
    if locate.is_savepoint(old):
        return _restore(old, new, exit_code, format, flink_new or flink)
    if is_export(old) or is_export(new):
        from cli.observed.diff import diff_exports

        return diff_exports(
            old,
            new,
            snapshots=lambda side: load_version(side, lambda job: flink_for(flink, job)).snapshots,
            exit_code=exit_code,
            format=format,
        )
    before = load_version(old, lambda job: flink_for(flink_old or flink, job))
    after = load_version(new, lambda job: flink_for(flink_new or flink, job))
    pairs = pair_jobs(before, after)
    found = [(_name(*pair), _changes(*pair)) for pair in pairs]
    upgrades = [_upgrade(before, after, *pair) for pair in pairs]
    if format == "json":
        console.write_json(_document(old, new, found, upgrades))
    else:
        for (name, changes), upgrade in zip(found, upgrades, strict=True):
            console.write_lines([*changes_lines(name, changes), *_upgrade_lines(upgrade)])
    breaking = any(change.level != "safe" for _, changes in found for change in changes)
    return 1 if exit_code and breaking else 0


def _restore(savepoint: str, new: str, exit_code: bool, format: TextOrJson, flink: str | None) -> int:
    """Whether the new job restores from a savepoint."""
    from planner.savepoints.fates import restore

    contents = locate.load_contents(savepoint)
    report = restore(load_new_plan(new, lambda job: flink_for(flink, job)), contents)
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


def _upgrade(before: Version, after: Version, old: Snapshot | None, new: Snapshot | None) -> Upgrade | None:
    """What another version of Flink does, where both sides were planned here and for different ones."""
    one, other = (before.plan_of(old) if old else None), (after.plan_of(new) if new else None)
    if old is None or new is None or one is None or other is None or one.flink == other.flink:
        return None
    return describe_upgrade(one, other, compare(old, new))


def _upgrade_lines(upgrade: Upgrade | None) -> list[Line]:
    if upgrade is None:
        return []
    from cli.render.text.upgrade import upgrade_lines

    return [(), *upgrade_lines(upgrade)]


def _document(
    old: str, new: str, found: list[tuple[str, tuple[Change, ...]]], upgrades: list[Upgrade | None]
) -> dict[str, Any]:
    changes = [(name, change) for name, each in found for change in each]
    return {
        "version": 1,
        "old": old,
        "new": new,
        "jobs": [name for name, _ in found],
        "changes": [{"job": name, **change.to_dict()} for name, change in changes],
        "flink": [upgrade.to_dict() if upgrade else None for upgrade in upgrades],
        "summary": {level: sum(change.level == level for _, change in changes) for level in LEVELS},
    }
