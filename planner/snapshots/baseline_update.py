"""Bringing a baseline up to date: adds, keeps and prunes."""

from __future__ import annotations

from collections.abc import Iterable

from planner.records import record
from planner.snapshots.baseline import Baseline, BaselineJob
from planner.snapshots.baseline_file import dump_baseline
from planner.snapshots.snapshot import Snapshot

__all__ = ["Update", "update_baseline"]


@record
class Update:
    """A new baseline, and what it did to the jobs of the old one, by name."""

    text: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    kept: tuple[str, ...]
    pruned: tuple[str, ...]


def update_baseline(baseline: Baseline, planned: Iterable[tuple[str, Snapshot]], partial: Iterable[str] = ()) -> Update:
    """Record the planned jobs (file, snapshot), keep those of other files, drop those whose file or job is gone.

    `partial` are files of which not every job is known: one was picked by name, or one could not be planned. Their
    other entries stay.
    """
    new = [BaselineJob(key="", file=baseline.relative(file), snapshot=snapshot) for file, snapshot in planned]
    whole = {job.file for job in new} - {baseline.relative(file) for file in partial}
    names = {file: [job.snapshot.name for job in new if job.file == file] for file in whole}
    before = {id(job): baseline.find(job.snapshot.name, job.file, names.get(job.file)) for job in new}
    replaced = {id(found) for found in before.values() if found is not None}
    rest = [job for job in baseline.jobs if id(job) not in replaced]
    kept = [job for job in rest if baseline.exists(job) and job.file not in whole]
    same = {id(job) for job in new if _same(before[id(job)], job)}
    return Update(
        text=dump_baseline([*new, *kept]),
        added=tuple(job.snapshot.name for job in new if before[id(job)] is None),
        changed=tuple(job.snapshot.name for job in new if before[id(job)] is not None and id(job) not in same),
        kept=tuple(job.snapshot.name for job in (*(job for job in new if id(job) in same), *kept)),
        pruned=tuple(job.snapshot.name for job in rest if job not in kept),
    )


def _same(before: BaselineJob | None, after: BaselineJob) -> bool:
    return before is not None and dump_baseline([before]) == dump_baseline([after])
