"""Ten minutes of a stream with keyed state: what it holds at the end, next to what it held when it had warmed up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.figure import Cost, Figure, compare, memory, seconds
from benchmarks.measure import ROOT, command
from benchmarks.process_tree import memory_of_tree

_MINUTES = 10.0
_PAUSE = 1.0  # seconds between two looks
_SLICES = 5  # the run in equal parts: the second is compared with the last
JOB = """
from planner import ReaderSource, StreamExecutionEnvironment, Types, WatermarkStrategy, WriterSink

PAIR = Types.TUPLE([Types.LONG(), Types.LONG()])
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
source = ReaderSource("rate", options={"rowsPerSecond": 2000})
ticks = env.from_source(source, WatermarkStrategy.no_watermarks(), "ticks")
pairs = ticks.map(lambda tick: (tick.value % 1000, 1), output_type=PAIR)
pairs.key_by(lambda pair: pair[0], key_type=Types.LONG()).sum(1).uid("counts").sink_to(WriterSink("noop"))
env.execute("soak")
"""


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Memory of the driver, its JVM and all workers, and the time that batches take."""
    minutes = 1.0 if quick else _MINUTES
    with tempfile.TemporaryDirectory(prefix="plan-bench-") as folder:
        job = Path(folder, "job.py")
        job.write_text(JOB, encoding="utf-8")
        report = Path(folder, "report.json")
        options = ["--master", "local[2]", "--trigger", "processing-time=1s", "--report", str(report)]
        seen = _watched([*command(), "run", str(job), *options], minutes)
        batches = json.loads(report.read_text(encoding="utf-8"))["batches"]
    what = f"{minutes:g} minutes of 2,000 records per second, 1,000 keys"
    held = [Cost(seconds=0, peak=value) for value in seen]
    taken = [Cost(seconds=batch["seconds"]) for batch in batches]
    yield _late_against_early(f"{what}: memory in the last fifth", held, memory)
    yield _late_against_early(f"{what}: time of a batch in the last fifth", taken, seconds)


def _late_against_early(what: str, seen: list[Cost], of: Callable[[Cost], float]) -> Figure:
    """Each of the last costs next to the middle one of the second slice."""
    size = len(seen) // _SLICES
    early, late = sorted(seen[size : 2 * size], key=of), seen[-size:]
    costs = {"late": late, "early": [early[size // 2]] * size}
    return compare(what, costs, "late", "early", other="in the second fifth", target=1.1, of=of)


def _watched(arguments: list[str], minutes: float) -> list[int]:
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=said, cwd=ROOT, env=_environment())
        seen, end = [], time.monotonic() + 60 * minutes
        try:
            while time.monotonic() < end:
                time.sleep(_PAUSE)
                if child.poll() is not None:
                    said.seek(0)
                    raise RuntimeError(f"the stream ended:\n{said.read().decode(errors='replace')[-2000:]}")
                seen.append(memory_of_tree(child.pid))
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(60)
    return seen


def _environment() -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1"}
