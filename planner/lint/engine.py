"""Linting: load, plan, compare with the baseline, run the rules, apply the ignores.

Every file stands for itself: one that cannot be planned is a finding, and the others are still linted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import InternalError, NoJobError, OptionError, PlanError
from planner.flink.versions import version_for
from planner.frontends.loading import LoadOptions, load_jobs, split_spec
from planner.job import Location
from planner.lint.finding import Finding
from planner.lint.ignores import Ignore, apply_ignores, python_ignores, yaml_ignores
from planner.lint.registry import ALWAYS, BY_CODE, RULES, select_rules
from planner.lint.rule import Subject
from planner.pipeline import Plan, plan
from planner.records import record
from planner.settings.pyproject import Config, load_config

if TYPE_CHECKING:
    from planner.diff.comparison import Comparison
    from planner.savepoints.contents import SavepointContents
    from planner.snapshots.baseline import Baseline, BaselineJob

__all__ = ["LintedJob", "Report", "lint", "plan_files", "regressions"]


@record
class LintedJob:
    """One planned job and the file it was loaded from."""

    file: str
    plan: Plan
    config: Config
    whole: bool = True  # all jobs of the file were asked for, not one by its name

    @property
    def name(self) -> str:
        """The job's name."""
        return self.plan.name


@record
class Report:
    """What linting found, in the order of files and lines."""

    findings: tuple[Finding, ...]
    jobs: tuple[LintedJob, ...]
    files: tuple[str, ...]
    ignored: int
    unrecorded: tuple[str, ...] = ()  # jobs that the baseline does not know yet
    skipped: tuple[tuple[str, tuple[str, ...]], ...] = ()  # by export of Flink, the rules whose facts it does not tell


def plan_files(
    specs: Iterable[str],
    flink: str | None = None,
    options: LoadOptions | None = None,
    *,
    may_lack_job: Collection[str] = (),
    exports: Collection[str] = (),
) -> tuple[list[LintedJob], list[Finding]]:
    """Load and plan every job of every file; what fails becomes a finding of that file.

    `flink` is the version to plan for; without it the settings of each job's project hold. Files of `may_lack_job` are
    passed over where they define no job; any other file was named as a job. `exports` are what Flink says of jobs.
    """
    jobs: list[LintedJob] = []
    failures: list[Finding] = []
    projects: dict[Path, Config] = {}
    for spec in dict.fromkeys(specs):
        if spec in exports:
            from planner.observed.loading import load_export  # most jobs are compiled here

            observed = load_export(spec)
            config = _project(Path(spec).absolute().parent, projects).for_job(observed.stream_graph.name, spec)
            jobs.append(LintedJob(file=spec, plan=observed, config=config))
            continue
        path, name = split_spec(spec)
        file = str(path)
        try:
            project = _project(Path(file).absolute().parent, projects)
            version = flink or project.for_job(None, file).flink
            loaded = load_jobs(spec, replace(options or LoadOptions(), flink=version))
        except NoJobError:
            if spec in may_lack_job:
                continue
            raise
        except PlanError as error:
            failures.append(_not_plannable(file, error, None))
            continue
        for job in loaded:
            try:
                config = project.for_job(job.name, file)
                wanted = version_for(job, asked=flink, configured=config.flink)
                compiled = plan(job, until="execution", flink=wanted)
                jobs.append(LintedJob(file=file, plan=compiled, config=config, whole=name is None))
            except PlanError as error:
                failures.append(_not_plannable(file, error, job.name))
    return jobs, failures


def lint(
    specs: Sequence[str],
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    baseline: Baseline | None = None,
    savepoint: SavepointContents | None = None,
    flink: str | None = None,
    options: LoadOptions | None = None,
    may_lack_job: Collection[str] = (),
    exports: Collection[str] = (),
) -> Report:
    """Lint the jobs of all files. Without `select` or `ignore` the settings of each job's project hold."""

    @lru_cache
    def codes(chosen: tuple[str, ...], dropped: tuple[str, ...]) -> frozenset[str]:
        found = select_rules(select or chosen, ignore or dropped)
        lacking = (*(() if baseline else ("PL0",)), *(() if savepoint else ("PL2",)))
        return frozenset(code for code in found if not code.startswith(lacking))

    select_rules(select, ignore)  # wrong codes are said before any file is read
    jobs, failures = plan_files(specs, flink, options, may_lack_job=may_lack_job, exports=exports)
    _refuse_several(jobs, savepoint)
    found: list[tuple[int, Finding]] = []
    ran: dict[int, frozenset[str]] = {}
    skipped: list[tuple[str, tuple[str, ...]]] = []
    for number, job in enumerate(jobs):
        wanted = codes(job.config.lint.select, job.config.lint.ignore)
        told = frozenset(code for code in wanted if BY_CODE[code].knows(job.plan))
        skipped += [(job.file, tuple(sorted(wanted - told - ALWAYS)))] if wanted - told - ALWAYS else []
        ran[number] = told - _unknowable(job.config)
        subject = replace(_subject(job, jobs, baseline, savepoint), codes=ran[number])
        found += [(number, finding) for finding in _run(subject, job.name)]
    comments, written = _ignores(jobs)
    remaining, ignored = apply_ignores(found, comments, written)
    everything = frozenset().union(*ran.values()) if ran else frozenset()
    for group in comments.values():
        remaining += [finding for each in group for finding in _ignore_findings(each, everything)]
    for number, group in written.items():
        remaining += [finding for each in group for finding in _ignore_findings(each, ran[number])]
    remaining += failures
    if baseline is not None and "PL005" in everything:
        remaining += _stale_jobs(baseline, jobs, failures)
    return Report(
        findings=tuple(sorted(remaining, key=Finding.order)),
        jobs=tuple(jobs),
        files=tuple(dict.fromkeys(spec if spec in exports else str(split_spec(spec)[0]) for spec in specs)),
        ignored=ignored,
        unrecorded=tuple(
            job.name for job in jobs if baseline and job.plan.observed is None and _entry(job, jobs, baseline) is None
        ),
        skipped=tuple(skipped),
    )


def regressions(plan: Plan, comparison: Comparison, config: Config) -> list[Finding]:
    """What the rules that compare with a baseline find, with another version of the job in its place."""
    codes = frozenset(code for code in BY_CODE if code.startswith("PL0") and code != "PL005")
    subject = Subject(plan=plan, config=config, comparison=comparison, codes=codes, recorded=False)
    return list(_run(subject, plan.name))


def _unknowable(config: Config) -> set[str]:
    """The rules that need a cluster which the settings do not describe."""
    return {
        *(("PL105",) if config.cluster.network_buffers is None else ()),
        *(("PL106",) if config.cluster.total_slots is None else ()),
    }


def _refuse_several(jobs: Sequence[LintedJob], savepoint: SavepointContents | None) -> None:
    if savepoint is not None and len(jobs) > 1:
        raise OptionError(
            f"{savepoint.path} belongs to one job, and {len(jobs)} jobs were given",
            hint=f"name one, for example {jobs[0].file}:{jobs[0].name}",
        )


def _subject(
    job: LintedJob, jobs: Sequence[LintedJob], baseline: Baseline | None, savepoint: SavepointContents | None
) -> Subject:
    entry = _entry(job, jobs, baseline) if baseline and job.plan.observed is None else None
    comparison = restored = None
    if entry:
        from planner.diff.comparison import compare  # what a plain lint does not need is not loaded
        from planner.snapshots.snapshot import take_snapshot

        comparison = compare(entry.snapshot, take_snapshot(job.plan))
    if savepoint:
        from planner.savepoints.fates import restore

        restored = restore(job.plan, savepoint)
    return Subject(plan=job.plan, config=job.config, comparison=comparison, restore=restored)


def _entry(job: LintedJob, jobs: Sequence[LintedJob], baseline: Baseline) -> BaselineJob | None:
    siblings = [other.name for other in jobs if other.file == job.file] if job.whole else None
    return baseline.find(job.name, baseline.relative(job.file), siblings)


def _run(subject: Subject, name: str) -> Iterator[Finding]:
    for rule in RULES:
        if rule.find is not None and rule.code in subject.codes:
            for finding in rule.find(rule, subject):
                yield replace(finding, job=name)


def _ignores(jobs: Sequence[LintedJob]) -> tuple[dict[str, list[Ignore]], dict[int, list[Ignore]]]:
    """The comments by Python file, and the YAML ignores by number of the job."""
    places: dict[str, list[int]] = {}
    written: dict[int, list[Ignore]] = {}
    for number, job in enumerate(jobs):
        written[number] = list(yaml_ignores(job.plan.job))
        for defined in (
            *job.plan.written.transformations,
            job.plan.job,
        ):  # what is said of the job stands where it is executed
            if defined.location.file.endswith(".py"):
                places.setdefault(defined.location.file, []).append(defined.location.line)
    return {file: python_ignores(file, lines) for file, lines in places.items()}, written


def _ignore_findings(ignore: Ignore, ran: frozenset[str]) -> Iterator[Finding]:
    """What is wrong with the ignore itself."""
    if not ignore.complete:
        if "PL112" in ran:
            lack = "its rule in brackets" if not ignore.codes else "its reason"
            yield BY_CODE["PL112"].finding(
                f"this ignore lacks {lack}, and has no effect",
                at=ignore.location,
                subject=f"ignore {','.join(ignore.codes)}",
                fix="write # plan: ignore[CODE] reason",
            )
        return
    for code in ignore.codes:
        if "PL111" not in ran or code in ignore.used or (code in BY_CODE and code not in ran):
            continue
        unknown = code not in BY_CODE
        yield BY_CODE["PL111"].finding(
            f"there is no rule {code}" if unknown else f"{code} ({BY_CODE[code].slug}) finds nothing here to ignore",
            at=ignore.location,
            subject=f"ignore {code} {ignore.reason}",
            fix=f"remove {code} from the ignore",
        )


def _not_plannable(file: str, error: PlanError, job: str | None) -> Finding:
    if isinstance(error, OptionError | InternalError):
        raise error  # not the job's fault
    place = error.location or Location(file, 1)
    found = BY_CODE["PL900"].finding(error.message, at=place, subject=error.message, fix=error.hint)
    return replace(found, job=job)


def _stale_jobs(baseline: Baseline, jobs: Sequence[LintedJob], failures: Sequence[Finding]) -> Iterator[Finding]:
    """Jobs of the baseline whose file is gone, or was linted and no longer defines them."""
    found = {id(entry) for entry in (_entry(job, jobs, baseline) for job in jobs) if entry}
    failed = {baseline.relative(finding.location.file) for finding in failures}
    linted = {baseline.relative(job.file) for job in jobs if job.whole} - failed
    lines = baseline.path.read_text(encoding="utf-8").splitlines()
    for entry in baseline.jobs:
        gone = not baseline.exists(entry)
        if id(entry) in found or not (gone or entry.file in linted):
            continue
        yield BY_CODE["PL005"].finding(
            f"the baseline has a job {entry.snapshot.name!r} of {entry.file}, "
            + ("which does not exist" if gone else "which no longer defines it"),
            at=Location(str(baseline.path), _line(lines, entry.file)),
            subject=entry.key,
            fix="run plan lint --update-baseline",
        )


def _line(lines: Sequence[str], file: str) -> int:
    return next((number for number, line in enumerate(lines, 1) if f'"file": {json.dumps(file)}' in line), 1)


def _project(folder: Path, known: dict[Path, Config]) -> Config:
    """The settings nearest to a job's file, else those nearest to where the command runs."""
    if folder not in known:
        found = load_config(folder)
        known[folder] = found if found.file else load_config()
    return known[folder]
