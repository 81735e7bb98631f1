"""Linting 200 files, next to only planning them."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.jobs import pipelines
from benchmarks.measure import Figure, command, in_turns

TITLE = "lint"
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
        commands = {
            "lint": [*command(), "lint", *paths],
            "plan": [sys.executable, "-c", PLAN_ALL, *paths],
        }
        median = in_turns(commands, rounds=3, accept=(0, 1))
    yield Figure(what=f"plan lint, {count} files", ours=median["lint"], other="planning them", theirs=median["plan"])
