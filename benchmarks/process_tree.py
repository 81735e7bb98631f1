"""Runs that are several processes: a driver, its JVM, Python workers. Linux only; elsewhere memory is that of one."""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.figure import Cost
from benchmarks.measure import ROOT, process

__all__ = ["memory_of_tree", "process_tree"]

_PROC = Path("/proc")
_PAUSE = 0.1


def process_tree(arguments: Sequence[str]) -> Callable[[], Cost]:
    """A run that is a whole process, with the peak memory of it and all that it started."""
    if not _PROC.exists():
        return process(arguments)

    def running() -> Cost:
        with tempfile.TemporaryFile() as said:
            start = time.perf_counter()
            child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=said, cwd=ROOT)
            seen, ended = [0], threading.Event()
            watching = threading.Thread(target=_watch, args=(child.pid, seen, ended))
            watching.start()
            child.wait()
            taken = time.perf_counter() - start
            ended.set()
            watching.join()
            if child.returncode:
                said.seek(0)
                words = said.read().decode(errors="replace")[-2000:]
                raise RuntimeError(f"{' '.join(arguments)[:200]} ended with {child.returncode}:\n{words}")
        return Cost(seconds=taken, peak=max(seen))

    return running


def _watch(root: int, seen: list[int], ended: threading.Event) -> None:
    while not ended.wait(_PAUSE):
        seen.append(memory_of_tree(root))


def memory_of_tree(root: int) -> int:
    """Bytes that a process and all its descendants hold now; what they share is counted once, by its shares."""
    parents = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text()
            except OSError:
                continue  # it ended meanwhile
            parents[int(entry.name)] = int(status.rpartition(")")[2].split()[1])
    found, open_ones = {root}, [root]
    while open_ones:
        at = open_ones.pop()
        children = [pid for pid, parent in parents.items() if parent == at and pid not in found]
        found.update(children)
        open_ones.extend(children)
    return sum(map(_proportional, found))


def _proportional(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
