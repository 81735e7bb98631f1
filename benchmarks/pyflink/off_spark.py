"""What the eight jobs take on the workers alone: their code without Spark and without a JVM, in this process.

    python -m benchmarks.pyflink.off_spark [--records N] [--rounds N] [--profile] [JOB...]

Prints CPU seconds by layer, the best of the rounds, and how many lines each sink got. It says where time goes while the
executor is changed; what a whole run takes, `side_by_side` says.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from benchmarks.pyflink.side_by_side import JOBS, SCRIPT, records_of, write_data
from planner.frontends.loading import load_jobs
from planner.frontends.python.stand_in import pyflink_stand_in
from planner.frontends.python_files.handover import LoadOptions
from planner.pipeline import plan
from spark_runner.executor.chunks import Chunk, chunk_batch, chunks_of
from spark_runner.executor.layers import run_ending_layer, run_feed, run_rows
from spark_runner.executor.written import run_columns
from spark_runner.frames.layouts import LayoutMaker
from spark_runner.frames.shipping import pickled_function
from spark_runner.lowering.lower import lower
from spark_runner.program.chunks import ChunkPlan, ChunkSource

_LINES = 10_000  # in one Arrow batch, as Spark gives them
_TEXT = pa.schema([("value", pa.string())])


class Clock:
    """Counts the CPU seconds of steps, and watches them where a profile is wanted."""

    def __init__(self, profile: cProfile.Profile | None) -> None:
        self.profile = profile
        self.seconds: dict[str, float] = {}

    def all(self, name: str, batches: Iterator[pa.RecordBatch]) -> list[pa.RecordBatch]:
        """Everything a step gives."""
        started = time.process_time()
        if self.profile is not None:
            self.profile.enable()
        made = list(batches)
        if self.profile is not None:
            self.profile.disable()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - started
        return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line per job."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pyflink.off_spark")
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"of {', '.join(JOBS)}; all of them")
    parser.add_argument("--records", type=int, default=250_000, help="records of each job (250,000)")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each (2)")
    parser.add_argument("--profile", action="store_true", help="show what takes the time")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plan-bench-") as folder:
        for job in options.jobs or JOBS:
            records = records_of(job, options.records)
            data = Path(folder) / f"data-{records}"
            write_data(data, records)
            given = (job, "--records", str(records), "--data", str(data), "--out", f"{folder}/out")
            profile = cProfile.Profile() if options.profile else None
            runs = [run_script(SCRIPT, given, profile) for _ in range(options.rounds)]
            seconds, lines = min(runs, key=lambda one: sum(one[0].values()))
            steps = ", ".join(f"{name} {spent:.2f}" for name, spent in seconds.items())
            told = f"{job:10} {records:9}  {sum(seconds.values()):6.2f} CPU s  ({steps})  lines {lines}"
            print(told, flush=True)
            if profile is not None:
                pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    return 0


def run_script(
    script: Path, given: tuple[str, ...], profile: cProfile.Profile | None = None
) -> tuple[dict[str, float], dict[str, int]]:
    """The CPU seconds of every step of a script's one job, and how many records each sink got."""
    found: list[tuple[dict[str, float], dict[str, int]]] = []

    def run(job: Any) -> list[Any]:
        program = lower(plan(job), "batch")
        assert program.chunks is not None
        with pyflink_stand_in():
            found.append(_run(program.chunks, program.file, Clock(profile)))
        return []

    load_jobs(str(script), LoadOptions(run=run, arguments=given))
    return found[0]


def _run(job: ChunkPlan, file: str, clock: Clock) -> tuple[dict[str, float], dict[str, int]]:
    payload = pickled_function(LayoutMaker(job, lambda _: _TEXT, {}).layout(), file)
    rows = [batch for source in job.sources for batch in _read(source, payload, file, clock)]
    for number, vertices in enumerate(job.layers, start=1):
        width = max(vertex.parallelism for vertex in vertices)
        chunks, rows = chunks_of(rows), []
        for slot in range(width):
            mine = [chunk_batch([chunk]) for chunk in chunks if chunk.subtask % width == slot]
            rows += clock.all(f"layer {number}", run_ending_layer(payload, number, mine))
    found = chunks_of(rows)
    return clock.seconds, {sink.name: _written(job, sink.number, found, clock) for sink in job.sinks}


def _read(source: ChunkSource, payload: bytes, file: str, clock: Clock) -> Iterator[pa.RecordBatch]:
    for subtask in range(source.parallelism):
        if source.records is not None:
            records, one = pickled_function(source.records, file), pa.RecordBatch.from_pydict({"id": [subtask]})
            yield from clock.all("sources", run_feed(payload, source.vertex, records, [one]))
        else:
            read = list(_lines(sorted(Path(urlsplit(source.paths[0]).path).iterdir())[subtask :: source.parallelism]))
            yield from clock.all("sources", run_rows(payload, source.vertex, -subtask, read))


def _lines(files: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    for file in files:
        lines = file.read_text().splitlines()
        for at in range(0, len(lines), _LINES):
            yield pa.RecordBatch.from_arrays([pa.array(lines[at : at + _LINES])], schema=_TEXT)


def _written(job: ChunkPlan, sink: int, chunks: list[Chunk], clock: Clock) -> int:
    mine = [chunk for chunk in chunks if chunk.target == -1 - sink]
    schemas = {flow.number: _TEXT for flow in job.flows}
    made = clock.all("sinks", run_columns(schemas, ["value"], False, [chunk_batch([chunk]) for chunk in mine]))
    return sum(batch.num_rows for batch in made)


if __name__ == "__main__":
    sys.exit(main())
