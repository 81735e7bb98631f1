"""Keyed state with timers, a side output, a window, a sum that is SQL alone, a join, and three sinks.

What it writes goes to the folder `output`, beside this file.
"""

from accounts import ENTRY, LARGE, TOTAL, BookedAt, Bookings

from planner import (
    Duration,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
    WriterSink,
)

ENTRIES = [("abc"[number % 3], number * 7 % 50, number * 1_000) for number in range(60)]

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
in_time = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1)).with_timestamp_assigner(BookedAt())
entries = env.from_collection(ENTRIES, type_info=ENTRY).name("entries").assign_timestamps_and_watermarks(in_time)

by_account = entries.rebalance().key_by(lambda entry: entry[0], key_type=Types.STRING())
totals = by_account.process(Bookings(), output_type=TOTAL).name("totals")
totals.print()
totals.get_side_output(LARGE).rebalance().sink_to(WriterSink("json", "output/large", mode="overwrite")).name("large")

(
    by_account.window(TumblingEventTimeWindows.of(Time.seconds(20)))
    .reduce(lambda left, right: (left[0], left[1] + right[1], max(left[2], right[2])))
    .name("by window")
    .map(lambda entry: ("window", *entry), output_type=TOTAL)
    .print()
)
env.execute("keyed")
