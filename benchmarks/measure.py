"""How things are measured: whole processes by the clock, in turns, so that a busy machine disturbs both sides alike."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache"


class Unavailable(Exception):
    """Something this machine lacks, so that a figure cannot be measured here; the message says what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One comparison: what `plan` takes, what the other side takes, and what a reader should know of it."""

    what: str
    ours: float  # seconds
    other: str  # what stands on the other side
    theirs: float  # seconds
    target: float | None = None  # the ratio should stay below it
    note: str = ""

    @property
    def ratio(self) -> float:
        """Ours as a multiple of theirs: below 1 is faster."""
        return self.ours / self.theirs

    def __str__(self) -> str:
        target = f" (target < {self.target:g})" if self.target else ""
        note = f"  {self.note}" if self.note else ""
        sides = f"{self.ours:>9.3f} s  / {self.other:<24} {self.theirs:>9.3f} s"
        return f"{self.what:<44} {sides}  = {self.ratio:.2f}{target}{note}"


def command(name: str = "plan") -> list[str]:
    """A console script of the environment that this runs in."""
    return [str(Path(sys.executable).with_name(name))]


def output_of(arguments: Sequence[str], *, accept: Sequence[int] = (0,)) -> str:
    """What a process prints; a failure shows its own last words."""
    finished = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=ROOT)
    if finished.returncode not in accept:
        raise RuntimeError(f"{' '.join(arguments)[:200]} ended with {finished.returncode}:\n{finished.stderr[-2000:]}")
    return finished.stdout


def seconds_of(arguments: Sequence[str], *, accept: Sequence[int] = (0,)) -> float:
    """How long a process takes from start to end."""
    start = time.perf_counter()
    output_of(arguments, accept=accept)
    return time.perf_counter() - start


def in_turns(commands: Mapping[str, Sequence[str]], *, rounds: int, accept: Sequence[int] = (0,)) -> dict[str, float]:
    """The median seconds of each command, run one after the other, again and again, after one round unmeasured."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for round_number in range(rounds + 1):
        for name, arguments in commands.items():
            seconds = seconds_of(arguments, accept=accept)
            if round_number:
                times[name].append(seconds)
    return {name: statistics.median(values) for name, values in times.items()}


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
