"""What a small `plan explain` costs, next to merely importing Typer and to a bare interpreter."""

from __future__ import annotations

import compileall
import sys
from collections.abc import Iterator

from benchmarks.figure import Figure, compare
from benchmarks.measure import ROOT, command, in_turns, process

ROUNDS = 25
JOBS = {
    "job.yaml": "samples/word_count/job.yaml",
    "job.py": "samples/word_count/job.py",
    "a PyFlink script": "benchmarks/pyflink/word_count.py",
}


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Explaining the word count in all of its languages."""
    for package in ("cli", "planner"):  # as an installation has them, also where the environment keeps no bytecode
        compileall.compile_dir(ROOT / package, quiet=1)
    runs = {
        'python -c "pass"': process([sys.executable, "-c", "pass"]),
        'python -c "import typer"': process([sys.executable, "-c", "import typer"]),
        "plan --version": process([*command(), "--version"]),
        **{f"plan explain, {name}": process([*command(), "explain", path]) for name, path in JOBS.items()},
    }
    costs = in_turns(runs, rounds=7 if quick else ROUNDS)
    yield compare("plan --version", costs, "plan --version", 'python -c "pass"')
    for name in JOBS:
        what = f"plan explain, {name}"
        yield compare(what, costs, what, 'python -c "import typer"', target=1.7)
