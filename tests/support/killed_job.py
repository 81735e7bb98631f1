"""A job that is killed in tests: files of `key,number,time` to running sums, windows and late records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from planner import (
    Duration,
    OutputTag,
    ReaderSource,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
    WriterSink,
)

RECORD = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
LINE = Types.ROW_NAMED(["value"], [Types.STRING()])
LATE = OutputTag("late", RECORD)


def taken_apart(line: str) -> tuple[str, int, int]:
    """A line as a record."""
    key, number, time = line.split(",")
    return key, int(number), int(time)


def added(one: Any, other: Any) -> Any:
    """Two records as one."""
    return one[0], one[1] + other[1], max(one[2], other[2])


def branches(records: Any) -> tuple[Any, Any, Any]:
    """The running sums, the windows and the late records of a stream of records."""
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5))
    timed = records.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(lambda record: record[2]))
    sums = timed.key_by(lambda record: record[0]).reduce(added).uid("sums")
    windows = timed.key_by(lambda record: record[0]).window(TumblingEventTimeWindows.of(Time.milliseconds(20)))
    closed = windows.allowed_lateness(10).side_output_late_data(LATE).reduce(added).uid("windows")
    return sums, closed, closed.get_side_output(LATE)


if folder := os.environ.get("KILLED_JOB_FOLDER"):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    source = ReaderSource("text", str(Path(folder) / "in"), {"maxFilesPerTrigger": 2}, bounded=True)
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines", LINE).set_parallelism(1)
    made = branches(lines.map(taken_apart, output_type=RECORD).set_parallelism(1))
    for name, stream in zip(("sums", "windows", "late"), made, strict=True):
        stream.sink_to(WriterSink("parquet", str(Path(folder) / name)))
    env.execute("killed")
