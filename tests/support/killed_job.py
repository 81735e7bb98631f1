"""Jobs that are killed in tests, from files of `key,number,time` to files.

`sums`: running sums by key. `windows`: windows, late records, and a process function with timers. One job may do both.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from planner import (
    Duration,
    KeyedProcessFunction,
    ListStateDescriptor,
    OutputTag,
    ReaderSource,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    ValueStateDescriptor,
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


class Reminders(KeyedProcessFunction):  # type: ignore[misc]
    """Counts a key's records; a timer after each of them tells the numbers since the last timer."""

    def open(self, runtime_context: Any) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count"))
        self.numbers = runtime_context.get_list_state(ListStateDescriptor("numbers"))

    def process_element(self, value: Any, ctx: Any) -> Any:
        self.count.update((self.count.value() or 0) + 1)
        self.numbers.add(value[1])
        ctx.timer_service().register_event_time_timer(value[2] + 15)
        yield value[0], self.count.value(), value[2]

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        held = list(self.numbers.get())
        self.numbers.clear()
        if held:
            yield f"{ctx.get_current_key()}!", sum(held) * 100 + len(held), timestamp


def branches(kinds: str, records: Any) -> dict[str, Any]:
    """What a job of one or several kinds makes of a stream of records, by the names of its outputs."""
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5))
    timed = records.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(lambda record: record[2]))
    keyed = timed.key_by(lambda record: record[0])
    made = {}
    if "sums" in kinds:
        made["sums"] = keyed.reduce(added).uid("sums")
    if "windows" not in kinds:
        return made
    windows = keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(20)))
    closed = windows.allowed_lateness(10).side_output_late_data(LATE).reduce(added).uid("windows")
    timers = timed.key_by(lambda record: record[0]).process(Reminders(), output_type=RECORD).uid("timers")
    return {**made, "windows": closed, "late": closed.get_side_output(LATE), "timers": timers}


if folder := os.environ.get("KILLED_JOB_FOLDER"):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    source = ReaderSource("text", str(Path(folder) / "in"), {"maxFilesPerTrigger": 2}, bounded=True)
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines", LINE).set_parallelism(1)
    made = branches(os.environ["KILLED_JOB_KIND"], lines.map(taken_apart, output_type=RECORD).set_parallelism(1))
    for name, stream in made.items():
        stream.sink_to(WriterSink("parquet", str(Path(folder) / name)))
    env.execute("killed")
