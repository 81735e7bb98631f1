"""How things are measured: in turns, so that a busy machine disturbs both sides alike."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figure import Cost

__all__ = ["CACHE", "ROOT", "Unavailable", "command", "cores", "in_turns", "output_of", "process", "timed"]

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache"
FEWEST = 3  # rounds, however long they take
_PATIENCE = 600.0  # seconds until a process counts as stuck


class Unavailable(Exception):
    """Something this machine lacks, so that a figure cannot be measured here; the message says what."""


def in_turns(
    runs: Mapping[str, Callable[[], Cost]], *, rounds: int, warm_up: int = 1, most: float = 60.0
) -> dict[str, list[Cost]]:
    """What each run takes, one after the other, again and again, forwards and backwards.

    The first rounds are not counted. Fewer rounds are measured where they take more than `most` seconds.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in runs}
    end = None
    for number in range(-warm_up, rounds):
        if number == 0:
            end = time.perf_counter() + most
        if end and number >= min(FEWEST, rounds) and time.perf_counter() > end:
            break
        for name in list(runs)[:: -1 if number % 2 else 1]:
            cost = runs[name]()
            if number >= 0:
                costs[name].append(cost)
    return costs


def timed(run: Callable[[], Any]) -> Callable[[], Cost]:
    """A run inside this process, by the clock."""

    def running() -> Cost:
        start = time.perf_counter()
        run()
        return Cost(seconds=time.perf_counter() - start)

    return running


def process(arguments: Sequence[str], *, accept: Sequence[int] = (0,)) -> Callable[[], Cost]:
    """A run that is a whole process: its time from start to end, and its peak memory."""

    def running() -> Cost:
        with tempfile.TemporaryFile() as said:
            start = time.perf_counter()
            child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=said, cwd=ROOT)
            timer = threading.Timer(_PATIENCE, child.kill)
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            taken = time.perf_counter() - start
            timer.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode not in accept:
                said.seek(0)
                raise _failure(arguments, child.returncode, said.read().decode(errors="replace"))
        return Cost(seconds=taken, peak=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))

    return running


def command(name: str = "plan") -> list[str]:
    """A console script of the environment that this runs in."""
    return [str(Path(sys.executable).with_name(name))]


def output_of(arguments: Sequence[str], *, accept: Sequence[int] = (0,)) -> str:
    """What a process prints; a failure shows its own last words."""
    finished = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=ROOT, timeout=_PATIENCE)
    if finished.returncode not in accept:
        raise _failure(arguments, finished.returncode, finished.stderr)
    return finished.stdout


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _failure(arguments: Sequence[str], code: int, said: str) -> RuntimeError:
    return RuntimeError(f"{' '.join(arguments)[:200]} ended with {code}:\n{said[-2000:]}")
