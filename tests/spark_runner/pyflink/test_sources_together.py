"""A script with several sources: each has the subtasks of its own, whatever stands beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.frontends.loading import load_jobs
from planner.frontends.python_files.handover import LoadOptions
from tests.support.pyflink_runs import ScriptRun

SCRIPT = """
from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat
from pyflink.datastream.functions import CoMapFunction, ProcessWindowFunction
from pyflink.datastream.window import TumblingEventTimeWindows

class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]

class Both(CoMapFunction):
    def map1(self, value):
        return ("own", value)
    def map2(self, value):
        return ("file", int(value))

class Count(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, context.window().start, len(list(elements))

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(PARALLELISM)
own = env.from_collection(list(range(0, 4000, 100)), Types.LONG())
lines = env.from_source(
    FileSource.for_record_stream_format(StreamFormat.text_line_format(), FOLDER).build(),
    WatermarkStrategy.no_watermarks(), "files")
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
kind = Types.TUPLE([Types.STRING(), Types.LONG()])
both = own.connect(lines).map(Both(), kind) if ORDER == "own first" else lines.connect(own).map(Swapped(), kind)
both.assign_timestamps_and_watermarks(strategy).key_by(lambda v: v[0]).window(
    TumblingEventTimeWindows.of(Time.seconds(1))).process(Count()).print()
env.execute()
"""


@pytest.mark.parametrize(("order", "parallelism"), [("own first", 2), ("file first", 2), ("file first", 1)])
def test_windows_behind_two_kinds_of_sources_close(spark: Any, tmp_path: Path, order: str, parallelism: int) -> None:
    """Of one subtask each, Spark would make one partition of both."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.txt").write_text("100\n1200\n")
    body = SCRIPT.replace("FOLDER", repr(str(tmp_path / "in"))).replace("ORDER", repr(order))
    body = body.replace("PARALLELISM", str(parallelism))
    body = body.replace(
        "class Count(", "class Swapped(CoMapFunction):\n    map1, map2 = Both.map2, Both.map1\n\nclass Count("
    )
    script = tmp_path / "job.py"
    script.write_text(body)
    run = ScriptRun(spark)
    load_jobs(str(script), LoadOptions(run=run._job))
    found = sorted(line.partition("> ")[2] or line for line in run.lines)
    assert found == [
        "('file', 0, 1)",
        "('file', 1000, 1)",
        *(f"('own', {start}, 10)" for start in range(0, 4000, 1000)),
    ]
