"""A small project on disk that tests lint: job files, settings, a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planner.lint.engine import Report, lint, plan_files
from planner.lint.finding import Finding
from planner.snapshots.baseline import Baseline
from planner.snapshots.baseline_file import load_baseline
from planner.snapshots.baseline_update import update_baseline
from planner.snapshots.snapshot import take_snapshot


class Project:
    """Job files in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.lock = folder / "plan.lock.json"
        self.write("pyproject.toml", "")

    def write(self, name: str, text: str) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def record(self, *files: str) -> str:
        """Write the baseline from the files as they are."""
        before = load_baseline(self.lock) if self.lock.is_file() else Baseline(path=self.lock)
        jobs, failures = plan_files([str(self.folder / name) for name in files])
        assert not failures
        updated = update_baseline(before, [(job.file, take_snapshot(job.plan)) for job in jobs])
        self.lock.write_text(updated.text, encoding="utf-8")
        return updated.text

    def lint(self, *files: str, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Report:
        baseline = load_baseline(self.lock) if self.lock.is_file() else None
        return lint([str(self.folder / name) for name in files], select=select, ignore=ignore, baseline=baseline)

    def findings(self, *files: str, select: Sequence[str] = ()) -> list[Finding]:
        return list(self.lint(*files, select=select).findings)

    def codes(self, *files: str, select: Sequence[str] = ()) -> list[str]:
        return [finding.code for finding in self.findings(*files, select=select)]
