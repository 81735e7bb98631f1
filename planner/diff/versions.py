"""The two sides of a diff: a job file, a baseline, or `git:REV:path`, each as the snapshots of its jobs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from planner.diff.revisions import Revision
from planner.errors import OptionError, PlanError
from planner.flink.differences import flink as flink_profile
from planner.flink.profile import FlinkProfile
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.frontends.job_files import split_name
from planner.frontends.loading import LoadOptions, load_job, load_jobs, split_spec
from planner.job import JobDefinition, Location
from planner.pipeline import Plan, plan
from planner.records import record
from planner.snapshots.baseline_file import load_baseline
from planner.snapshots.snapshot import Snapshot, take_snapshot

__all__ = ["Version", "load_new_plan", "load_version", "pair_jobs", "version_asked", "versions_paired"]

GIT = "git:"
FLINK = "flink:"  # a script as real PyFlink compiles it, and not plan
_AT_VERSION = re.compile(r"(.+)@(v?\d+(?:\.\d+)+)")

ChooseFlink = Callable[[JobDefinition], FlinkProfile]


@record
class Version:
    """One side of a diff. A baseline may know more jobs than are compared."""

    argument: str
    snapshots: tuple[Snapshot, ...]
    is_baseline: bool = False
    plans: tuple[Plan, ...] = ()  # of the snapshots, in their order; empty for a baseline

    def plan_of(self, snapshot: Snapshot) -> Plan | None:
        """The plan that a snapshot of this side was taken of."""
        return next((made for one, made in zip(self.snapshots, self.plans, strict=False) if one is snapshot), None)


def load_version(argument: str, flink: ChooseFlink | None = None, options: LoadOptions | None = None) -> Version:
    """Load what an argument of `plan diff` stands for; `FILE@1.20` is planned for that version of Flink."""
    asked = argument
    argument, choose, options = _at_version(asked, flink, options)
    if argument.startswith(GIT):
        return _from_git(argument, choose, options)
    if argument.endswith((".json", ".lock")) and _is_baseline(Path(argument)):
        if asked != argument:
            raise OptionError(
                f"{asked}: a baseline was planned when it was recorded, and cannot be planned again",
                hint="name the job's file: job.py@1.20, or git:REV:job.py@1.20",
            )
        jobs = load_baseline(Path(argument)).jobs
        return Version(argument=argument, snapshots=tuple(job.snapshot for job in jobs), is_baseline=True)
    return _job_file(argument, argument, choose, options)


def version_asked(argument: str, options: LoadOptions) -> str | None:
    """The version of Flink that an argument is to be planned for; None where nobody says."""
    return _at_version(argument, None, options)[2].flink


def load_new_plan(argument: str, flink: ChooseFlink | None = None, options: LoadOptions | None = None) -> Plan:
    """The one job that an argument stands for, compiled up to its job graph."""
    argument, choose, options = _at_version(argument, flink, options)
    if not argument.startswith(GIT):
        job = load_job(argument, options)
        return plan(job, until="job", flink=choose(job))
    with _checked_out(argument) as path:
        job = load_job(path, options)
        return plan(job, until="job", flink=choose(job))


def _at_version(
    argument: str, flink: ChooseFlink | None, options: LoadOptions | None
) -> tuple[str, ChooseFlink, LoadOptions]:
    """The argument without its `@1.20`, how to choose the version of Flink for its jobs, and how to load them."""
    options = options or LoadOptions()
    if argument.startswith(FLINK):
        asked = replace(options.compiler or FlinkRequest(), always=True)
        argument, options = argument.removeprefix(FLINK), replace(options, compiler=asked)
    written = _AT_VERSION.fullmatch(argument)
    if written is None or Path(argument).exists():
        return argument, flink or (lambda job: flink_profile(job.flink)), options
    chosen = flink_profile(written[2])
    return written[1], lambda job: chosen, replace(options, flink=chosen.version)


def pair_jobs(old: Version, new: Version) -> list[tuple[Snapshot | None, Snapshot | None]]:
    """The jobs to compare, of which at least one must be in both versions."""
    pairs = versions_paired(old, new)
    if not any(before and after for before, after in pairs):
        olds, news = ([snapshot.name for snapshot in side.snapshots] for side in (old, new))
        raise OptionError(
            f"no job of {new.argument} is in {old.argument}",
            hint=f"there: {', '.join(sorted(olds))}; here: {', '.join(sorted(news))}",
        )
    return pairs


def versions_paired(old: Version, new: Version) -> list[tuple[Snapshot | None, Snapshot | None]]:
    """One job with one, else by name; a job of a baseline that the other side lacks is left alone."""
    if len(old.snapshots) == len(new.snapshots) == 1:
        return [(old.snapshots[0], new.snapshots[0])]
    olds = {snapshot.name: snapshot for snapshot in old.snapshots}
    news = {snapshot.name: snapshot for snapshot in new.snapshots}
    names = [name for name in {**olds, **news} if (name in olds or not new.is_baseline or old.is_baseline)]
    names = [name for name in names if name in news or not old.is_baseline or new.is_baseline]
    return [(olds.get(name), news.get(name)) for name in names]


def _job_file(argument: str, spec: str, flink: ChooseFlink, options: LoadOptions) -> Version:
    try:
        plans = tuple(plan(job, until="execution", flink=flink(job)) for job in load_jobs(spec, options))
    except PlanError as error:
        if argument == spec:
            raise
        line = error.location.line if error.location else 1
        raise type(error)(error.message, location=Location(argument, line), hint=error.hint) from error
    return Version(argument=argument, snapshots=tuple(take_snapshot(made) for made in plans), plans=plans)


def _is_baseline(path: Path) -> bool:
    if not path.is_file():
        split_spec(path)  # says what is wrong, with the nearest spelling
        return False
    text = path.read_text(encoding="utf-8")
    return '"operators"' in text and '"jobs"' in text and '"edges"' in text


def _from_git(argument: str, flink: ChooseFlink, options: LoadOptions) -> Version:
    with _checked_out(argument) as path:
        return _job_file(argument, str(path), flink, options)


@contextmanager
def _checked_out(argument: str) -> Iterator[Path]:
    """The file of a revision, among the files that it may import."""
    revision, separator, written = argument.removeprefix(GIT).partition(":")
    if not separator or not revision or not written:
        raise OptionError(f"{argument!r} is not of the form git:REV:path", hint="for example git:main:job.py")
    file, name = split_name(written)
    with Revision.find(revision) as tree:
        found = tree.file(file)
        if found is None:
            raise OptionError(
                f"{file} is not in revision {revision}", hint=f"see git ls-tree -r --name-only {revision}"
            )
        yield found.with_name(f"{found.name}:{name}") if name else found
