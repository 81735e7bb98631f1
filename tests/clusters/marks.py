"""Marks that the job `three_vertices` leaves while it runs, so that a test can do harm in the middle of a stage."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.clusters.plan_runs import JOBS, Started, start_plan
from tests.clusters.servers import wait_until

JOB = JOBS / "three_vertices" / "job.py"
VERTICES = ("first", "second", "third")
PAUSE = "0.1"


class Marks:
    """A folder of marks, shared by the job's functions and the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(
        self,
        master: str,
        *options: str,
        misfortunes: str = "",
        environment: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
        more: Mapping[str, str] | None = None,
    ) -> Started:
        """The job, slow enough to be harmed on its way."""
        own = {"PLAN_TEST_MARKS": str(self.folder), "PLAN_TEST_PAUSE": PAUSE, "PLAN_TEST_MISFORTUNES": misfortunes}
        every = {**(environment or {}), **own, **(more or {})}
        return start_plan(JOB, master, *options, settings=settings, environment=every)

    def count(self, name: str) -> int:
        return len(list(self.folder.glob(f"{name}.*")))

    def place_of(self, vertex: str, run: Started) -> Path:
        """Wait until a vertex is at work; the folder that one of its subtasks works in."""
        wait_until(lambda: self.count(vertex) > 0 or not run.alive, f"the {vertex} vertex", patience=300)
        if not self.count(vertex):
            raise AssertionError(f"the run ended before its {vertex} vertex: {run.end().errors}")
        return Path(max(self.folder.glob(f"{vertex}.*")).read_text())
