"""`plan diff`: what changed between two versions of a job, and whether its state survives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any

import typer

from cli import console, locate
from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.exit_codes import FINDINGS, OK, WRONG_INPUT
from cli.load_options import ApiOption, ParallelismOption, load_options, only_named
from cli.locate import explain_here, flink_for, is_export
from cli.options import FlinkOption, ReportFormat, ReportFormatOption, TextOrJson, complete_job
from cli.render.styled import Line, line
from cli.render.text.changes import review_lines, reviews_summary, upgrade_lines
from planner.diff.changes import LEVELS, Level
from planner.diff.upgrade import Upgrade
from planner.diff.versions import Version, load_new_plan, load_version, pair_jobs, version_asked
from planner.errors import JobDefinitionError, OptionError
from planner.frontends.loading import LoadOptions
from planner.frontends.upgrades import replacements
from planner.pipeline import Plan
from planner.review.report import JobReview, review_drift, review_versions

_SIDES = (
    "None: the job here, compared with HEAD. One: that job, compared with HEAD. Two, OLD NEW: each a job file, "
    "job.py:NAME, a baseline (plan.lock.json) or git:REV:path; FILE@1.20 plans for Flink 1.20; flink:FILE is a script "
    "as real PyFlink compiles it; OLD may be a savepoint. "
    "With --base: files and folders to look into."
)


def diff(
    context: typer.Context,
    sides: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OLD] [NEW]", help=_SIDES, autocompletion=complete_job, show_default=False),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="REV",
            help="Compare every job that changed since this branch left REV; the arguments are files and folders.",
            show_default=False,
        ),
    ] = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where a change is not safe.")] = False,
    fail_on: Annotated[
        Level | None, typer.Option(help="Exit with 1 where a change is this grave, or graver.", show_default=False)
    ] = None,
    format: ReportFormatOption = "text",
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
    """Show what changed between two versions of jobs: operators, chains, edges, slots, operator ids.

    Every change is marked: state-breaking (a restored job would not start, or would lose or misread state), result (the
    job computes something else), performance (the same result at another cost), or safe. Comments, order and YAML ids
    are no change while the plan is the same. What is the same on many operators is one line.

    With --base it finds the jobs that changed, also those of which only an imported module did, and gives one report:
    per job the verdict, the changes with what to do, and tasks, slots, channels and network buffers before and after.

    With a savepoint as OLD it says whether NEW restores from it: Flink's own answer, what is lost and why, and the fix.

    With http://HOST:8081/jobs/ID as NEW (or a saved folder, or a plan of Flink) it shows drift: how the job that runs
    differs from the one that was planned, in vertices, chains, parallelism, ship strategies, ids and slots.

    Examples:
      plan diff job.py
      plan diff --base main
      plan diff --base main jobs/ --format markdown
      plan diff old.yaml new.yaml
      plan diff job.py http://localhost:8081 --exit-code
      plan diff savepoints/savepoint-4f2a job.py
      plan diff git:main:jobs/orders.py jobs/orders.py --exit-code
      plan diff plan.lock.json job.yaml --format json
      plan diff job.py@1.20 job.py@2.3
    """
    options = load_options(context.obj, api=api, parallelism=parallelism, flink=flink, compiler=compiler)
    least = fail_on or ("performance" if exit_code else None)
    if base is not None:
        found = only_named(_for_version(options, flink_new), sides or [])
        return _since(base, sides or [], least, format, flink_new or flink, found)
    old, new = _two(sides or [])
    if locate.is_savepoint(new):
        raise OptionError(f"{new} is a savepoint, which is always the old side", hint="write plan diff SAVEPOINT JOB")
    if locate.is_savepoint(old):
        return _restore(
            old,
            new,
            least is not None,
            _no_markdown(format, "a savepoint"),
            flink_new or flink,
            _for_version(options, flink_new),
        )
    if is_export(old) or is_export(new):
        return _drift(old, new, least, format, flink, options)
    before = load_version(old, lambda job: flink_for(flink_old or flink, job), _for_version(options, flink_old))
    with _told_what_to_replace(before, version_asked(new, _for_version(options, flink_new))):
        after = load_version(new, lambda job: flink_for(flink_new or flink, job), _for_version(options, flink_new))
    reviews = review_versions(before, after, pair_jobs(before, after), explain=explain_here)
    _print(reviews, format, old=old, new=new)
    return _code(reviews, least)


def _drift(
    old: str, new: str, least: Level | None, format: ReportFormat, flink: str | None, options: LoadOptions
) -> int:
    """A diff of which one side at least is what Flink says about a job."""
    from planner.observed.loading import load_export

    if old == new == "-":
        raise OptionError("both sides cannot be stdin")

    def side(argument: str) -> Plan | Version:
        if is_export(argument):
            return load_export(argument)
        return load_version(argument, lambda job: flink_for(flink, job), options)

    review = review_drift(side(old), side(new), explain=explain_here)
    _print([review], format, old=old, new=new)
    return _code([review], least)


@contextmanager
def _told_what_to_replace(before: Version, version: str | None) -> Iterator[None]:
    """Where a PyFlink script does not fit the new version, name every call that has to be replaced, not the first."""
    try:
        yield
    except JobDefinitionError as error:
        misfit = version is not None and getattr(error, "flink", None) is not None
        found = replacements([compiled.written for compiled in before.plans], str(version)) if misfit else []
        if found:
            lines = [f"to plan it for Flink {version}, replace:", *found]
            error.hint = "\n  ".join([*([error.hint] if error.hint else []), *lines])
        raise


def _two(sides: list[str]) -> tuple[str, str]:
    """OLD and NEW; one job alone is compared with what HEAD has of it."""
    if len(sides) == 2:
        return sides[0], sides[1]
    if len(sides) > 2:
        raise OptionError(
            f"two versions are compared, and {len(sides)} were given",
            hint="for many jobs: plan diff --base main FILE...",
        )
    job = locate.find_job(sides[0] if sides else None)
    if job.startswith("git:") or is_export(job) or locate.is_savepoint(job):
        raise OptionError(
            f"{job} is one version, and there is no other to compare it with", hint="write plan diff OLD NEW"
        )
    return f"git:HEAD:{job}", job


def _since(
    base: str, paths: list[str], least: Level | None, format: ReportFormat, flink: str | None, options: LoadOptions
) -> int:
    """One report over all jobs that changed."""
    from planner.review.changed_jobs import review_since

    commit, reviews, passed_over = review_since(
        base, paths, flink=lambda job: flink_for(flink, job), explain=explain_here, options=options
    )
    _print(reviews, format, old=f"git:{commit}", new=".", base=base)
    for file in passed_over:
        console.message(f"note: {file} changed too, and is compared only where it is named: Flink would run it", "dim")
    return _code(reviews, least)


def _print(reviews: Sequence[JobReview], format: ReportFormat, *, old: str, new: str, base: str | None = None) -> None:
    if format == "json":
        console.write_json(_document(old, new, base, reviews))
    elif format == "markdown":
        from cli.render.markdown.review import reviews_markdown

        console.write_text(reviews_markdown(reviews, base or old))
    else:
        for review in reviews:
            console.write_lines([*review_lines(review), *_upgrade_lines(review.upgrade), *([()] if base else [])])
        if base is not None:
            console.write_lines([line(reviews_summary(reviews, base))])


def _code(reviews: Sequence[JobReview], least: Level | None) -> int:
    """1 where a change is as grave as was asked for; 2 where a job of this version cannot be planned."""
    if any(review.failure is not None and review.failure.side == "new" for review in reviews):
        return WRONG_INPUT
    if least is None:
        return OK
    grave = ("cannot be planned", *LEVELS[: LEVELS.index(least) + 1])
    return FINDINGS if any(review.verdict in grave for review in reviews) else OK


def _no_markdown(format: ReportFormat, what: str) -> TextOrJson:
    if format == "markdown":
        raise OptionError(f"--format markdown is for two versions of a job, not for {what}", hint="use text or json")
    return format


def _for_version(options: LoadOptions, flink: str | None) -> LoadOptions:
    return options if flink is None else replace(options, flink=flink)


def _restore(
    savepoint: str, new: str, exit_code: bool, format: TextOrJson, flink: str | None, options: LoadOptions
) -> int:
    """Whether the new job restores from a savepoint."""
    from planner.savepoints.fates import restore

    contents = locate.load_contents(savepoint)
    report = restore(load_new_plan(new, lambda job: flink_for(flink, job), options), contents)
    if format == "json":
        console.write_json({"version": 1, "savepoint": savepoint, "new": new, **report.to_dict()})
    else:
        from cli.render.text.restore import restore_lines

        console.write_lines(restore_lines(report))
    return 1 if exit_code and not report.restores else 0


def _upgrade_lines(upgrade: Upgrade | None) -> list[Line]:
    return [] if upgrade is None else [(), *upgrade_lines(upgrade)]


def _document(old: str, new: str, base: str | None, reviews: Sequence[JobReview]) -> dict[str, Any]:
    changes = [(review.name, change) for review in reviews for change in review.changes]
    drift = [review.drift.to_dict(review.changes) for review in reviews if review.drift is not None]
    return {
        "version": 1,
        "old": old,
        "new": new,
        **(drift[0] if drift else {}),
        **({} if base is None else {"base": base}),
        "jobs": [review.name for review in reviews],
        "reviews": [review.to_dict() for review in reviews],
        "changes": [{"job": name, **change.to_dict()} for name, change in changes],
        "flink": [review.upgrade.to_dict() if review.upgrade else None for review in reviews],
        "summary": {level: sum(change.level == level for _, change in changes) for level in LEVELS},
    }
