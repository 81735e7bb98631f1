"""The baseline: the plans of several jobs as they were accepted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from planner.records import record

if TYPE_CHECKING:
    from planner.snapshots.snapshot import Snapshot

__all__ = ["FILE_NAME", "Baseline", "BaselineJob"]

FILE_NAME = "plan.lock.json"


@record
class BaselineJob:
    """One job in the baseline; `file` is relative to the baseline's folder."""

    key: str
    file: str
    snapshot: Snapshot


@record(slots=False)
class Baseline:
    """The accepted plans, and the file they are in."""

    path: Path
    jobs: tuple[BaselineJob, ...] = ()

    def relative(self, file: str | Path) -> str:
        """A job's file as the baseline names it: the same wherever the repository lies."""
        path = Path(os.path.normpath(Path(file).absolute()))
        for anchor in self._anchors:
            if path.is_relative_to(anchor):
                return path.relative_to(anchor).as_posix()
        return path.name

    def exists(self, job: BaselineJob) -> bool:
        """Whether the file that defined the job is still there."""
        return any((anchor / job.file).is_file() for anchor in self._anchors)

    def files(self) -> list[str]:
        """The files of its jobs that are there, as one would name them from here."""
        found = (next((anchor / job.file for anchor in self._anchors if (anchor / job.file).is_file()), None)
                 for job in self.jobs)  # fmt: skip
        return list(dict.fromkeys(os.path.relpath(path) for path in found if path is not None))

    @cached_property
    def _anchors(self) -> tuple[Path, ...]:
        """What paths are relative to: the baseline's folder, its repository, and here where the file lies elsewhere."""
        folder, here = Path(os.path.normpath(self.path.absolute())).parent, Path.cwd()
        return tuple(dict.fromkeys((folder, *_repository(folder), *_repository(here), here)))

    @cached_property
    def _by_name(self) -> Mapping[str, list[BaselineJob]]:
        found: dict[str, list[BaselineJob]] = {}
        for job in self.jobs:
            found.setdefault(job.snapshot.name, []).append(job)
        return found

    @cached_property
    def _by_file(self) -> Mapping[str, list[BaselineJob]]:
        found: dict[str, list[BaselineJob]] = {}
        for job in self.jobs:
            found.setdefault(job.file, []).append(job)
        return found

    def find(self, name: str, file: str, siblings: Iterable[str] | None) -> BaselineJob | None:
        """The entry of a job: of its name and file; else of its name where that file is gone, which is a moved job;
        else the only one of its file whose name none of `siblings` (all jobs there) has, which is a renamed job."""
        named = self._by_name.get(name, [])
        here = [job for job in named if job.file == file]
        if here:
            return here[0]
        moved = [job for job in named if not self.exists(job)]
        if moved:
            return moved[0]
        if siblings is None:
            return None
        others = set(siblings)
        renamed = [job for job in self._by_file.get(file, ()) if job.snapshot.name not in others]
        return renamed[0] if len(renamed) == 1 else None


def _repository(folder: Path) -> tuple[Path, ...]:
    return next(((top,) for top in (folder, *folder.parents) if (top / ".git").exists()), ())
