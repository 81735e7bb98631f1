"""The jobs that a change touches: files that differ from a revision, and jobs that import such a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from planner.diff.revisions import ChangedFile, Revision
from planner.diff.versions import ChooseFlink, Version, load_version, versions_paired
from planner.errors import NoJobError, OptionError, PlanError
from planner.explanation.explain import explain_plan
from planner.frontends.job_files import COMPILED, find_job_files, is_job_file
from planner.frontends.loading import LoadOptions
from planner.frontends.python_files.job_modules import own_modules
from planner.review.report import Explain, Failure, JobReview, review_versions

__all__ = ["review_since"]

_LoadVersion = Callable[[str, str], Version]  # of an argument, and the file here that it is a version of


def review_since(
    base: str,
    paths: Sequence[str],
    *,
    flink: ChooseFlink,
    explain: Explain = explain_plan,
    options: LoadOptions | None = None,
) -> tuple[str, list[JobReview], list[str]]:
    """Review every job under `paths` that changed since the current branch left `base`.

    Also the commit meant, and what changed and was passed over: SQL scripts and jars that only a search found.
    """
    with Revision.find(base, forked=True) as revision:
        changed = _Changed(revision)

        def load(spec: str, here: str) -> Version:
            return load_version(spec, flink, _named_like(here, spec, options))

        reviews: list[JobReview] = []
        files = _job_files(revision, paths or ["."], changed)
        for path in files:
            reviews += _review(path, revision, changed, load, explain)
        return revision.commit, reviews, _passed_over(revision, paths or ["."], changed, files)


def _named_like(here: str, spec: str, options: LoadOptions | None) -> LoadOptions | None:
    """The options under which an earlier version of a file may be run by Flink where the file itself may be."""
    compiler = options.compiler if options is not None else None
    if options is None or compiler is None or compiler.named is None or os.path.normpath(here) not in compiler.named:
        return options
    return replace(options, compiler=replace(compiler, named=compiler.named | {os.path.normpath(spec)}))


class _Changed:
    """What differs from a revision, by path from the top of the repository."""

    def __init__(self, revision: Revision) -> None:
        files = revision.changed()
        self.now: Mapping[str, ChangedFile] = {one.after: one for one in files if one.after is not None}
        self.gone = [one.before for one in files if one.after is None and one.before is not None]
        # Whether a file may have changed a job that it is not: only then jobs are loaded to see what they import.
        self.modules = frozenset(path for path in self.now if path.endswith(".py")) | frozenset(
            path for path in self.gone if path.endswith(".py")
        )


def _job_files(revision: Revision, paths: Sequence[str], changed: _Changed) -> list[str]:
    """The job files under the paths, as the repository names them: those of now, and those that are gone."""
    found: list[str] = []
    for path in paths:
        inside = _from_top(revision, path)
        if Path(path).is_dir():
            found += [_from_top(revision, file) for file in find_job_files(Path(path))]
        elif Path(path).is_file():
            found += [inside] if _compiled(inside) or is_job_file(Path(path)) else []
        elif inside not in revision.files and not any(file.startswith(f"{inside}/") for file in revision.files):
            raise OptionError(
                f"there is no file {path!r}, neither here nor in {revision.name}", hint="name files or folders"
            )
        found += [file for file in changed.gone if file == inside or (_below(file, inside) and not _compiled(file))]
    return sorted(dict.fromkeys(found))


def _passed_over(revision: Revision, paths: Sequence[str], changed: _Changed, found: Sequence[str]) -> list[str]:
    folders = [_from_top(revision, path) for path in paths]
    files = [file for file in (*changed.now, *changed.gone) if _compiled(file) and file not in found]
    passed = sorted(file for file in files if any(_below(file, folder) for folder in folders))
    return [os.path.relpath(revision.top / file) for file in passed]


def _below(file: str, folder: str) -> bool:
    return folder == "." or file.startswith(f"{folder}/")


def _compiled(file: str) -> bool:
    """Whether Flink would compile a file, which happens only where it is named."""
    return file.lower().endswith(COMPILED)


def _from_top(revision: Revision, path: str) -> str:
    return Path(os.path.relpath(Path(path).resolve(), revision.top.resolve())).as_posix()


def _review(path: str, revision: Revision, changed: _Changed, load: _LoadVersion, explain: Explain) -> list[JobReview]:
    """The jobs of one file; none where neither it nor what it imports changed, or where it has no job at all."""
    touched = {path} & (changed.now.keys() | set(changed.gone))
    named = path.endswith((".yaml", ".yml"))  # what it uses of a module is known once both versions are compared
    if not touched and not (changed.modules and (named or path.endswith(".py"))):
        return []
    here = os.path.relpath(revision.top / path)
    new, failure = None, None
    if path not in changed.gone:
        new, failure = _load(here, here, "new", load)
        touched |= _imported(revision, here) & changed.modules if path.endswith(".py") else set()
    if not touched and not named and failure is None:
        return []
    was = changed.now[path].before if path in changed.now else path
    known = new is not None or failure is not None or _compiled(path)
    old, old_failure = _load_old(revision, was, here, load, known=known)
    if not touched and old_failure is not None:
        return []  # it could not be planned before either, and nothing of it changed
    failure = failure or old_failure
    if failure is not None:
        return [JobReview(name=Path(path).name, file=here, failure=failure)]
    if old is None and new is None:
        return []
    nothing = Version(argument=path, snapshots=())
    pairs = versions_paired(old or nothing, new or nothing)
    reviews = review_versions(old or nothing, new or nothing, pairs, explain=explain, file=here)
    return reviews if touched else [review for review in reviews if review.changes]


def _load(
    spec: str, here: str, side: Literal["old", "new"], load: _LoadVersion
) -> tuple[Version | None, Failure | None]:
    """A version of a file: None where it has no job, and why where it cannot be planned."""
    try:
        return load(spec, here), None
    except NoJobError:
        return None, None
    except OptionError:
        raise
    except PlanError as error:
        return None, Failure.of(side, error)


def _load_old(
    revision: Revision, was: str | None, here: str, load: _LoadVersion, *, known: bool
) -> tuple[Version | None, Failure | None]:
    """The file at the revision; where it is no `known` job, only if it looks like one: loading runs it."""
    if was is None or was not in revision.files:
        return None, None
    written = revision.written(was)
    if not known and not is_job_file(written):
        return None, None
    version, failure = _load(str(written), here, "old", load)
    if failure is None or failure.place is None:
        return version, failure
    shown = failure.place.replace(str(written).removesuffix(was), f"{revision.name}:")
    return version, replace(failure, place=shown)


def _imported(revision: Revision, here: str) -> set[str]:
    """The files of the repository that a job imported when it was loaded last."""
    folder = str(Path(here).parent.absolute())
    files: Iterable[str] = (getattr(module, "__file__", None) or "" for module in own_modules(folder).values())
    return {_from_top(revision, file) for file in files if file}
