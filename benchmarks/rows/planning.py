"""Planning, next to real Flink on the same jobs: whole processes (cold), and many times in two processes (warm)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from benchmarks import flink
from benchmarks.figure import Cost, Figure, compare, memory
from benchmarks.measure import ROOT, in_turns, process

OURS = [sys.executable, "-m", "benchmarks.plan_times"]
SHAPES = {
    "row": "{:,} operators in a row, one chain",
    "unchained_row": "{:,} operators in a row, unchained",
    "pipelines": "{:,} operators in pipelines of four",
}
SIZES = (10, 100, 1_000, 10_000)
WIDE = 10_000
TENTH = 0.1  # of Flink's warm time at 1,000 operators
FIFTH = 0.2  # on any other shape

WARM_UP = 15  # plans of 1,000 operators of every shape, until Flink's JVM has compiled what planning needs


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Every shape at every size."""
    java = flink.java_command()
    sizes = SIZES[:3] if quick else SIZES
    wide = WIDE // (10 if quick else 1)
    with _asked(OURS) as ours, _asked(java) as theirs:
        for shape in SHAPES:
            for _ in range(WARM_UP // (5 if quick else 1)):
                theirs(_job(shape, 1_000))
        for shape, label in SHAPES.items():
            for size in sizes:
                target = TENTH if size == 1_000 else FIFTH
                yield _warm(label.format(size), _job(shape, size), (ours, theirs), target)
        yield _warm(f"10 vertices of {wide:,} subtasks", f"wide {wide}", (ours, theirs), FIFTH)
    for size in sizes:
        yield from _cold(SHAPES["row"].format(size), _job("row", size), java, with_memory=size == sizes[-1])
    yield from _cold(f"10 vertices of {wide:,} subtasks", f"wide {wide}", java, with_memory=True)


def _job(shape: str, operators: int) -> str:
    """As the two programs are asked for it."""
    return f"{shape} {max(1, operators // 4) if shape == 'pipelines' else operators}"


Ask = Callable[[str], Cost]


@contextmanager
def _asked(arguments: Sequence[str]) -> Iterator[Ask]:
    """A process that plans what it is asked for, and says how long that took."""
    child = subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
    )

    def ask(job: str) -> Cost:
        assert child.stdin and child.stdout
        child.stdin.write(f"{job}\n")
        child.stdin.flush()
        answer = child.stdout.readline()
        if not answer:
            raise RuntimeError(f"{arguments[0]} ended with {child.wait()} while it planned {job}")
        return Cost(seconds=float(answer))

    try:
        yield ask
    finally:
        child.kill()
        child.communicate()


def _warm(label: str, job: str, asked: tuple[Ask, Ask], target: float) -> Figure:
    ours, theirs = asked
    runs = {"plan": lambda: ours(job), "Flink, warm JVM": lambda: theirs(job)}
    costs = in_turns(runs, rounds=15, most=10)
    return compare(f"{label}, warm", costs, "plan", "Flink, warm JVM", target=target)


def _cold(label: str, job: str, java: list[str], *, with_memory: bool) -> Iterator[Figure]:
    asked = job.split()
    runs = {"plan": process([*OURS, *asked]), "Flink, cold JVM": process([*java, *asked])}
    costs = in_turns(runs, rounds=5, warm_up=1, most=10)
    yield compare(f"{label}, cold", costs, "plan", "Flink, cold JVM", target=FIFTH)
    if with_memory:
        yield compare(f"{label}, peak memory", costs, "plan", "Flink, cold JVM", of=memory)
