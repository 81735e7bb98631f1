"""What a small `plan explain` costs, next to merely importing Typer and to a bare interpreter."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.measure import Figure, command, in_turns

TITLE = "start-up"
ROUNDS = 15


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Explaining the word count of the samples, in both of its languages."""
    commands = {
        "python": [sys.executable, "-c", "pass"],
        "typer": [sys.executable, "-c", "import typer"],
        "plan --version": [*command(), "--version"],
        "plan explain job.py": [*command(), "explain", "samples/word_count/job.py"],
        "plan explain job.yaml": [*command(), "explain", "samples/word_count/job.yaml"],
    }
    median = in_turns(commands, rounds=5 if quick else ROUNDS)
    yield Figure(
        what="plan --version", ours=median["plan --version"], other='python -c "pass"', theirs=median["python"]
    )
    for name in ("plan explain job.py", "plan explain job.yaml"):
        yield Figure(what=name, ours=median[name], other='python -c "import typer"', theirs=median["typer"], target=2.5)
