"""The eight jobs on real PyFlink and on `plan run`, in turn, with the CPU seconds of all processes and the wall time.

    python -m benchmarks.pyflink.side_by_side --pyflink PYTHON [--records N] [--pairs N] [--mode streaming] [JOB...]

`make bench-pyflink` installs PyFlink for it. PyFlink runs in thread mode, which is its fastest. Each pair is one run of
each; a ratio below 1 means that plan needs less. On a busy machine only the CPU seconds say something. Linux only.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

JOBS = ("stateless", "words", "counts", "tumbling", "sliding", "sessions", "joined", "sides")
FEWER = {"sliding": 20, "sessions": 4}  # jobs that take longer over a record get only a part of the records
SCRIPT = Path(__file__).with_name("eight_jobs.py")
_ROOT = Path(__file__).parents[2]
_TICK = os.sysconf("SC_CLK_TCK")
_PAUSE = 0.1
_LIMIT = 900  # seconds for one run


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one run took, and what it wrote."""

    cpu: float
    wall: float
    lines: int
    digest: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line per job; 1 where results differ or a run failed."""
    options = _options(arguments)
    failed = False
    print(f"{'':20} {'CPU seconds':>23}   {'wall seconds':>23}")
    print(f"{'job':10} {'records':>9} " + f" {'plan':>8} {'PyFlink':>8} {'ratio':>5} " * 2)
    with tempfile.TemporaryDirectory(prefix="plan-bench-") as folder:
        for job in options.jobs or JOBS:
            records = records_of(job, options.records)
            data = Path(folder) / f"data-{records}"
            write_data(data, records)
            for _ in range(options.pairs):
                ours = _run(_plan_command(job, options.mode), job, records, data)
                theirs = _run([options.pyflink, str(SCRIPT), job], job, records, data)
                failed |= ours is None or theirs is None
                if ours is None or theirs is None:
                    continue
                print(
                    f"{job:10} {records:9}  {ours.cpu:8.1f} {theirs.cpu:8.1f} {ours.cpu / theirs.cpu:5.2f}  "
                    f"{ours.wall:8.1f} {theirs.wall:8.1f} {ours.wall / theirs.wall:5.2f}",
                    flush=True,
                )
                if (ours.lines, ours.digest) != (theirs.lines, theirs.digest):
                    failed = True
                    print(f"{job}: the results differ: {ours.lines} lines here, {theirs.lines} with PyFlink")
    return int(failed)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pyflink.side_by_side")
    parser.add_argument(
        "jobs", nargs="*", choices=[[], *JOBS], metavar="JOB", help=f"of {', '.join(JOBS)}; all of them"
    )
    parser.add_argument("--pyflink", required=True, help="a Python that has PyFlink")
    parser.add_argument("--records", type=int, default=1_000_000, help="records of each job (1,000,000)")
    parser.add_argument("--pairs", type=int, default=1, help="runs of each (1)")
    parser.add_argument("--mode", choices=("batch", "streaming"), default="batch", help="of plan run (batch)")
    return parser.parse_args(arguments)


def _plan_command(job: str, mode: str) -> list[str]:
    plan = str(Path(sys.executable).with_name("plan"))
    return [plan, "run", str(SCRIPT), "--master", "local[2]", "--mode", mode, "--", job]


def records_of(job: str, records: int) -> int:
    """How many records a job gets where most jobs get so many."""
    return max(10, records // FEWER.get(job, 1))


def write_data(folder: Path, records: int) -> None:
    """The files that the jobs read, each kind in two parts; the same again for the same number."""
    if folder.exists():
        return
    chosen = random.Random(records)
    words = [f"w{chosen.randrange(10_000)}" for _ in range(records)]
    readings = (
        f"s{chosen.randrange(1_000)},{chosen.randrange(100)},{max(0, 600_000 * n // records - chosen.randrange(2_000))}"
        for n in range(records)
    )
    _write(folder / "words", [" ".join(words[at : at + 10]) for at in range(0, records, 10)])
    _write(folder / "readings", list(readings))
    _write(folder / "orders", [f"{n},c{chosen.randrange(10_000)},{chosen.randrange(500)}" for n in range(records)])
    _write(folder / "customers", [f"c{n},city {n % 83}" for n in range(10_000)])


def _write(folder: Path, lines: list[str]) -> None:
    folder.mkdir(parents=True)
    for part in range(2):
        (folder / f"{part}.txt").write_text("".join(f"{line}\n" for line in lines[part::2]))


def _run(command: list[str], job: str, records: int, data: Path) -> Run | None:
    with tempfile.TemporaryDirectory(prefix="plan-bench-") as folder:
        given = [*command, "--records", str(records), "--data", str(data), "--out", f"{folder}/result"]
        said = Path(folder, "said")
        with said.open("wb") as log:
            started = time.monotonic()
            # PyFlink's thread mode asks the first `python` on the PATH where its library is
            path = f"{Path(command[0]).parent}:{os.environ['PATH']}"
            environment = {**os.environ, "PATH": path}
            child = subprocess.Popen(given, stdout=log, stderr=log, cwd=folder, env=environment, start_new_session=True)
            cpu = _followed(child, started)
        wall = time.monotonic() - started
        if child.returncode:
            print(f"{job}: {' '.join(command[:2])} ended with {child.returncode}:\n{said.read_text()[-2000:]}")
            return None
        lines = sorted(line for file in _files(Path(folder, "result")) for line in file.read_text().splitlines())
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        return Run(cpu=cpu, wall=wall, lines=len(lines), digest=digest)


def _files(folder: Path) -> list[Path]:
    """What was written, without what Spark and Flink keep for themselves."""
    found = [file for file in folder.rglob("*") if file.is_file()]
    own = [file for file in found if file.name.startswith("_") or file.suffix == ".crc" or "_manifest" in file.parts]
    return [file for file in found if file not in own]


def _followed(child: subprocess.Popen[bytes], started: float) -> float:
    """The CPU seconds of a process and of all that it started: the last that was seen of each."""
    seen: dict[int, int] = {}
    while child.poll() is None:
        for pid, ticks in _ticks(child.pid).items():
            seen[pid] = max(seen.get(pid, 0), ticks)
        if time.monotonic() - started > _LIMIT:
            os.killpg(child.pid, 9)
        time.sleep(_PAUSE)
    return sum(seen.values()) / _TICK


def _ticks(root: int) -> dict[int, int]:
    """The ticks of a process, its descendants, and whoever else is in a session of theirs, by process."""
    known: dict[int, tuple[int, int, int]] = {}  # parent, session, ticks
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            known[int(entry.name)] = (int(fields[1]), int(fields[3]), int(fields[11]) + int(fields[12]))
    found, sessions, before = {root}, {root}, 0
    while len(found) > before:
        before = len(found)
        found |= {pid for pid, (parent, session, _) in known.items() if parent in found or session in sessions}
        sessions |= {known[pid][1] for pid in found if pid in known}
    return {pid: known[pid][2] for pid in found if pid in known}


if __name__ == "__main__":
    sys.exit(main())
