"""The two sides of a diff: a job file, a baseline, or `git:REV:path`, each as the snapshots of its jobs."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from planner.errors import JobDefinitionError, OptionError, PlanError
from planner.flink.profile import FlinkProfile
from planner.flink.registry import flink as flink_profile
from planner.frontends.loading import load_job, load_jobs, split_spec
from planner.job import JobDefinition, Location
from planner.pipeline import Plan, plan
from planner.snapshots.baseline_file import load_baseline
from planner.snapshots.snapshot import Snapshot, take_snapshot

__all__ = ["Version", "load_new_plan", "load_version", "pair_jobs"]

GIT = "git:"
_AT_VERSION = re.compile(r"(.+)@(v?\d+(?:\.\d+)+)")

ChooseFlink = Callable[[JobDefinition], FlinkProfile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One side of a diff. A baseline may know more jobs than are compared."""

    argument: str
    snapshots: tuple[Snapshot, ...]
    is_baseline: bool = False
    plans: tuple[Plan, ...] = ()  # of the snapshots, in their order; empty for a baseline

    def plan_of(self, snapshot: Snapshot) -> Plan | None:
        """The plan that a snapshot of this side was taken of."""
        return next((made for one, made in zip(self.snapshots, self.plans, strict=False) if one is snapshot), None)


def load_version(argument: str, flink: ChooseFlink | None = None) -> Version:
    """Load what an argument of `plan diff` stands for; `FILE@1.20` is planned for that version of Flink."""
    asked = argument
    argument, choose = _at_version(asked, flink)
    if argument.startswith(GIT):
        with _checked_out(argument) as path:
            return _job_file(argument, str(path), choose)
    if argument.endswith((".json", ".lock")) and _is_baseline(Path(argument)):
        if asked != argument:
            raise OptionError(
                f"{asked}: a baseline was planned when it was recorded, and cannot be planned again",
                hint="name the job's file: job.py@1.20, or git:REV:job.py@1.20",
            )
        jobs = load_baseline(Path(argument)).jobs
        return Version(argument=argument, snapshots=tuple(job.snapshot for job in jobs), is_baseline=True)
    return _job_file(argument, argument, choose)


def load_new_plan(argument: str, flink: ChooseFlink | None = None) -> Plan:
    """The one job that an argument stands for, compiled up to its job graph."""
    argument, choose = _at_version(argument, flink)
    if not argument.startswith(GIT):
        job = load_job(argument)
        return plan(job, until="job", flink=choose(job))
    with _checked_out(argument) as path:
        job = load_job(path)
        return plan(job, until="job", flink=choose(job))


def _at_version(argument: str, flink: ChooseFlink | None) -> tuple[str, ChooseFlink]:
    """The argument without its `@1.20`, and how to choose the version of Flink for its jobs."""
    written = _AT_VERSION.fullmatch(argument)
    if written is None or Path(argument).exists():
        return argument, flink or (lambda job: flink_profile())
    chosen = flink_profile(written[2])
    return written[1], lambda job: chosen


def pair_jobs(old: Version, new: Version) -> list[tuple[Snapshot | None, Snapshot | None]]:
    """The jobs to compare: one with one, else by name; a job of a baseline that the other side lacks is left alone."""
    if len(old.snapshots) == len(new.snapshots) == 1:
        return [(old.snapshots[0], new.snapshots[0])]
    olds = {snapshot.name: snapshot for snapshot in old.snapshots}
    news = {snapshot.name: snapshot for snapshot in new.snapshots}
    names = [name for name in {**olds, **news} if (name in olds or not new.is_baseline or old.is_baseline)]
    names = [name for name in names if name in news or not old.is_baseline or new.is_baseline]
    pairs = [(olds.get(name), news.get(name)) for name in names]
    if not any(before and after for before, after in pairs):
        raise OptionError(
            f"no job of {new.argument} is in {old.argument}",
            hint=f"there: {', '.join(sorted(olds))}; here: {', '.join(sorted(news))}",
        )
    return pairs


def _job_file(argument: str, spec: str, flink: ChooseFlink) -> Version:
    try:
        plans = tuple(plan(job, until="execution", flink=flink(job)) for job in load_jobs(spec))
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


@contextmanager
def _checked_out(argument: str) -> Iterator[Path]:
    """The file of a revision, in a folder of its own with its neighbours, which a Python job may import."""
    revision, separator, written = argument.removeprefix(GIT).partition(":")
    if not separator or not revision or not written:
        raise OptionError(f"{argument!r} is not of the form git:REV:path", hint="for example git:main:job.py")
    file, _, name = written.partition(".py:") if ".py:" in written else (written, "", "")
    file = f"{file}.py" if name else file
    path = PurePosixPath(_git("rev-parse", "--show-prefix", argument=argument).decode().strip()) / file
    if not _exists(revision, str(path)):
        path = PurePosixPath(file)  # git itself counts paths from the top of the repository
    if not _is_revision(revision):
        raise OptionError(
            f"there is no revision {revision!r} in this repository",
            hint="`git log --oneline` lists the revisions of this branch, `git branch -a` the branches",
        )
    if not _exists(revision, str(path)):
        raise OptionError(f"{file} is not in revision {revision}", hint=f"see git ls-tree -r --name-only {revision}")
    top = _git("rev-parse", "--show-toplevel", argument=argument).decode().strip()
    folder = str(path.parent)
    scope = [] if folder == "." else ["--", folder]
    packed = _git("-C", top, "archive", "--format=tar", revision, *scope, argument=argument)
    with tempfile.TemporaryDirectory(prefix="plan-diff-") as temporary:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(temporary, filter="data")
        (Path(temporary) / ".git").touch()  # the top of a repository, as everything that looks for one knows it
        found = Path(temporary) / path
        yield found.with_name(f"{found.name}:{name}") if name else found


def _is_revision(revision: str) -> bool:
    asked = ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def _exists(revision: str, path: str) -> bool:
    done = subprocess.run(["git", "cat-file", "-e", f"{revision}:{path}"], capture_output=True, check=False)
    return done.returncode == 0


def _git(*arguments: str, argument: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise OptionError(f"{argument} needs git, which is not on the PATH") from None
    if done.returncode:
        complaint = done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"]
        raise JobDefinitionError(f"{argument}: {complaint[-1].removeprefix('fatal: ')}")
    return done.stdout
