"""A driver that is killed at random moments: the output in the end is that of one run without kills.

One job has all kinds of state, so that one driver's death puts each of them to the test. `PLAN_KILLS` says how many
kills there are; `make test-kills` has twenty.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest

from planner import StreamExecutionEnvironment
from tests.support import killed_job
from tests.support.session_runs import SMALL_DRIVER
from tests.support.sources import ROOT
from tests.support.stream_jobs import records
from tests.support.stream_reference import Reference

KILLS = int(os.environ.get("PLAN_KILLS", "2"))
FILES = max(6, KILLS * 3)
PER_FILE = 25


def expected(kind: str, found: list[tuple[str, int, int]]) -> dict[str, Counter[tuple[str, int, int]]]:
    """What the reference gives for the same records in one stream."""
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    source = env.from_collection(found).set_parallelism(1)
    made = killed_job.branches(kind, source.map(lambda record: record).set_parallelism(1))
    for stream in made.values():
        stream.print()
    reference = Reference(env.build("reference"))
    sunk = reference.run()
    by_key = {reference.graph.by_id[node].operator.key: rows for node, rows in sunk.items()}
    return {name: Counter(row for _, row in by_key.get(f"print-{n}", ())) for n, name in enumerate(made, start=1)}


def write_input(folder: Path, random: Random, files: int = FILES) -> list[tuple[str, int, int]]:
    """Files of records, each newer than the last; all their records."""
    found = records(random, files * PER_FILE)
    (folder / "in").mkdir()
    for number in range(files):
        file = folder / "in" / f"{number:03d}.txt"
        file.write_text("".join(f"{k},{n},{t}\n" for k, n, t in found[number * PER_FILE : (number + 1) * PER_FILE]))
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
    return found


def check_output(kind: str, folder: Path, found: list[tuple[str, int, int]]) -> str:
    """Assert that every output is the reference's; how many records each has."""
    wanted = expected(kind, found)
    for name, rows in wanted.items():
        assert written(folder / name) == rows, name
    return ", ".join(f"{name} {sum(rows.values())} of {sum(rows.values())}" for name, rows in wanted.items())


def written(folder: Path) -> Counter[tuple[str, int, int]]:
    """The records of the batches that the manifest names."""
    rows: Counter[tuple[str, int, int]] = Counter()
    for entry in sorted((folder / "_manifest").glob("batch*.json")):
        place = folder / json.loads(entry.read_text())["folder"]
        for part in place.glob("part-*.parquet"):
            table = pq.read_table(part).to_pydict()
            rows.update(zip(*table.values(), strict=True))
    return rows


JOB = Path(killed_job.__file__)


def start(
    folder: Path, job: Path = JOB, options: Sequence[str] = (), *, module: str = "cli"
) -> subprocess.Popen[bytes]:
    """The job as a user starts it, in a process group of its own."""
    command = [sys.executable, "-m", module, "run", str(job), "--mode", "streaming", *SMALL_DRIVER, *options]
    command += ["--checkpoint", str(folder / "checkpoint"), "--master", "local[2]"]
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "KILLED_JOB_FOLDER": str(folder), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def batches(folder: Path, log: str = "offsets") -> int:
    """How many batches Spark has begun; with `commits`, how many it has ended."""
    return len(list((folder / "checkpoint" / "spark" / log).glob("[0-9]*")))


class Killing:
    """Drivers of one job that are killed one after the other, each with the next one on standby."""

    def __init__(self, folder: Path, random: Random, job: Path = JOB, options: Sequence[str] = ()) -> None:
        self.folder, self.random, self.job, self.options = folder, random, job, options
        self.kills = self.at_hand = 0
        self._next = self._standby()

    def __enter__(self) -> Killing:
        return self

    def __exit__(self, *_: object) -> None:
        _kill(self._next)

    def _standby(self) -> subprocess.Popen[bytes]:
        return start(self.folder, self.job, self.options, module="tests.support.standby")

    def _run(self) -> subprocess.Popen[bytes]:
        process, self._next = self._next, self._standby()
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        return process

    def kill(self) -> None:
        """Kill Python and JVM some time after the next batch began."""
        before, process = batches(self.folder), self._run()
        try:
            while process.poll() is None and batches(self.folder) == before and not self._runs_again(before):
                time.sleep(0.01)
            time.sleep(self.random.uniform(0, 1.5))
            self.kills += process.poll() is None
        finally:
            _kill(process)
        self.at_hand += batches(self.folder) > batches(self.folder, "commits")

    def _runs_again(self, before: int) -> bool:
        """Whether a batch that a kill left behind was run again to its end."""
        return batches(self.folder, "commits") == before > 0

    def finish(self) -> None:
        """The last driver, to the end of its input."""
        process, self._next = self._next, self._next
        _, errors = process.communicate(b"\n", timeout=900)
        assert process.returncode == 0, errors.decode()

    def __str__(self) -> str:
        return (
            f"{self.kills} kills hit the run, {self.at_hand} of them a batch that was begun and not committed; "
            f"{batches(self.folder)} batches"
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


KINDS = ("sums", "windows")


@dataclass(frozen=True)
class Killed:
    """A run that came to its end in spite of kills: its folder, its input, and what was killed."""

    folder: Path
    found: list[tuple[str, int, int]]
    killing: Killing


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """One run of all kinds."""
    folder, random = tmp_path_factory.mktemp("killed"), Random(14)
    found = write_input(folder, random)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KILLED_JOB_KIND", " ".join(KINDS))
        with Killing(folder, random) as killing:
            for _ in range(KILLS):
                killing.kill()
            killing.finish()
    return Killed(folder, found, killing)


@pytest.mark.spark
@pytest.mark.parametrize("kind", KINDS)
def test_the_output_is_exact_however_often_the_driver_is_killed(kind: str, killed: Killed) -> None:
    counts = check_output(kind, killed.folder, killed.found)
    print(f"\n{kind}: {killed.killing}; as the reference: {counts}")
    assert killed.killing.kills
