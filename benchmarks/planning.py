"""Planning large jobs, next to real Flink on the same jobs: a whole process (cold), and again in a process (warm)."""

from __future__ import annotations

import ast
import json
import sys
import time
from collections.abc import Iterator

from benchmarks import flink
from benchmarks.jobs import SHAPES, SIZES
from benchmarks.measure import Figure, output_of

TITLE = "planning, all four graphs, against real Flink 2.3.0"
ROUNDS = 3
LABELS = {
    "row": "{:,} operators in a row, one chain",
    "unchained_row": "{:,} operators in a row, unchained",
    "pipelines": "{:,} pipelines side by side",
    "wide": "10 vertices of {:,} subtasks",
}


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Cold and warm, for every shape."""
    java = flink.java_command()
    for shape in SHAPES:
        size = SIZES[shape] // (10 if quick else 1)
        yield from _compare(shape, size, java)


def _compare(shape: str, size: int, java: list[str]) -> Iterator[Figure]:
    ours, theirs = [sys.executable, "-m", "benchmarks.plan_times"], java
    label = LABELS[shape].format(size)
    cold_ours, printed = _timed([*ours, shape, str(size), "1"])
    cold_theirs, _ = _timed([*theirs, shape, str(size), "1"])
    peak = f"peak {json.loads(printed)['peak'] / 1e6:.0f} MB"
    yield Figure(what=f"{label}, cold", ours=cold_ours, other="Flink, cold JVM", theirs=cold_theirs, note=peak)
    warm_ours = min(json.loads(output_of([*ours, shape, str(size), str(ROUNDS)]))["seconds"])
    lines = output_of([*theirs, shape, str(size), str(ROUNDS)]).splitlines()
    warm_theirs = min(ast.literal_eval(line)[-1] for line in lines if line.startswith("["))
    yield Figure(what=f"{label}, warm", ours=warm_ours, other="Flink, warm JVM", theirs=warm_theirs)


def _timed(arguments: list[str]) -> tuple[float, str]:
    start = time.perf_counter()
    printed = output_of(arguments)
    return time.perf_counter() - start, printed
