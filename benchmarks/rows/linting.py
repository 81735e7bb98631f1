"""Linting 200 files, next to only planning them."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Figure, compare
from benchmarks.jobs import pipelines
from benchmarks.measure import command, in_turns, process

FILES = 200

PLAN_ALL = "import sys, planner\nfor path in sys.argv[1:]: planner.load_plan(path).to_dict()"


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """One process each, over the same files."""
    count = FILES // (10 if quick else 1)
    with tempfile.TemporaryDirectory() as folder:
        # JSON is YAML; five pipelines are twenty operators, a job of usual size.
        paths = [str(Path(folder) / f"job_{number}.yaml") for number in range(count)]
        for path in paths:
            Path(path).write_text(json.dumps(pipelines(5), indent=1), encoding="utf-8")
        runs = {
            "lint": process([*command(), "lint", *paths], accept=(0, 1)),
            "plan": process([sys.executable, "-c", PLAN_ALL, *paths]),
        }
        costs = in_turns(runs, rounds=3 if quick else 5)
    yield compare(f"plan lint of {count} jobs", costs, "lint", "plan", other="planning them")
