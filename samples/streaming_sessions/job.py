"""Sessions of clicks with late data: one result when a session closes, another for every late click it still takes."""

from planner import (
    Duration,
    EventTimeSessionWindows,
    OutputTag,
    ReaderSource,
    StreamExecutionEnvironment,
    Time,
    Types,
    WatermarkStrategy,
)

CLICK = Types.ROW_NAMED(["user", "time"], [Types.STRING(), Types.LONG()])
SESSION = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
TOO_LATE = OutputTag("too late", SESSION)

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
clicks = env.from_source(
    ReaderSource("csv", "output/clicks", {"maxFilesPerTrigger": 2}, bounded=True),
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5)).with_timestamp_assigner("time"),
    "clicks",
    CLICK,
).set_parallelism(1)
sessions = (
    clicks.map(lambda click: (click.user, click.time, 1), output_type=SESSION)
    .set_parallelism(1)
    .key_by(lambda one: one[0], key_type=Types.STRING())
    .window(EventTimeSessionWindows.with_gap(Time.seconds(3)))
    .allowed_lateness(20_000)
    .side_output_late_data(TOO_LATE)
    .reduce(lambda one, other: (one[0], min(one[1], other[1]), one[2] + other[2]))
    .uid("sessions")
)
sessions.print()
late = sessions.get_side_output(TOO_LATE)
late.map(lambda click: f"too late: {click[0]} at {click[1]}", output_type=Types.STRING()).print()
env.execute("sessions with late data")
