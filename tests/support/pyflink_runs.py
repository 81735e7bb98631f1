"""Running a PyFlink script in this process on a Spark session, and what real PyFlink printed for it."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from planner.frontends.loading import load_jobs
from planner.frontends.python_files.handover import LoadOptions
from planner.job import JobDefinition
from planner.pipeline import plan
from spark_runner.figures.results import CollectedRecord, PrintedRecord, RunResult
from spark_runner.frames.shipping import kept
from spark_runner.lowering.lower import lower

FOLDER = Path(__file__).parents[1] / "spark_runner" / "pyflink"
SCRIPTS = sorted(path.stem for path in (FOLDER / "scripts").glob("*.py"))
_SUBTASK = re.compile(r"\A\d+> ")


def recorded() -> dict[str, list[str]]:
    """What real PyFlink printed, by script."""
    return dict(json.loads((FOLDER / "recorded.json").read_text()))


def without_subtask(line: str) -> str:
    """A printed line without the number of the subtask, which Flink leaves open."""
    return _SUBTASK.sub("", line)


class ScriptRun:
    """One script, every job of it run when the script executes it."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self.lines: list[str] = []
        self.results: list[RunResult] = []

    def run(self, name: str, folder: Path) -> list[str]:
        """The lines that the script and its print sinks wrote."""
        script = folder / f"{name}.py"
        shutil.copy(FOLDER / "scripts" / f"{name}.py", script)
        said = io.StringIO()
        with redirect_stdout(said):
            load_jobs(str(script), LoadOptions(run=self._job, keep=kept))
        return [*self.lines, *said.getvalue().splitlines()]

    def _job(self, job: JobDefinition) -> list[Any]:

        collected: list[Any] = []
        take: Callable[[Any], None] = lambda event: self._take(event, collected)  # noqa: E731
        from spark_runner.batch.execute import execute

        self.results.append(execute(lower(plan(job)), self.spark, events=take))
        return collected

    def _take(self, event: Any, collected: list[Any]) -> None:
        if isinstance(event, PrintedRecord):
            self.lines += str(event).splitlines()
        elif isinstance(event, CollectedRecord):
            collected.append(event.record)
