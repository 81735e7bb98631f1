"""Sensors: mean temperature per room and minute, rooms that stay hot, lines that cannot be read. Plain PyFlink."""

from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, OutputTag, StreamExecutionEnvironment
from pyflink.datastream.functions import AggregateFunction, ProcessFunction, ProcessWindowFunction
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows

LINES = [  # room, second, degrees
    "attic,0,29.0",
    "cellar,5,14.0",
    "attic,30,31.0",
    "cellar,60,fifteen",
    "attic,65,32.5",
    "cellar,70,14.5",
    "attic,95,33.5",
    "attic,40,32.0",
    "cellar,130,15.0",
    "attic,160,31.5",
]
READING = Types.TUPLE([Types.STRING(), Types.LONG(), Types.DOUBLE()])
BROKEN = OutputTag("broken", Types.STRING())
HOT, LONG_ENOUGH = 30.0, 60_000


class Parse(ProcessFunction):
    def process_element(self, value, ctx):
        room, second, degrees = value.split(",")
        try:
            yield room, int(second), float(degrees)
        except ValueError:
            yield BROKEN, value


class Seconds(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1] * 1000


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0.0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value[2], accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


class WithMinute(ProcessWindowFunction):
    def process(self, key, context, elements):
        for mean in elements:
            yield f"{key}, minute {context.window().start // 60_000}: {mean:.1f}"


class StaysHot(KeyedProcessFunction):
    """Tells once that a room was hot for a minute; a cooler reading starts anew."""

    def open(self, runtime_context):
        self.since = runtime_context.get_state(ValueStateDescriptor("since", Types.LONG()))

    def process_element(self, value, ctx):
        since = self.since.value()
        if value[2] < HOT and since is not None:
            ctx.timer_service().delete_event_time_timer(since + LONG_ENOUGH)
            self.since.clear()
        elif value[2] >= HOT and since is None:
            self.since.update(ctx.timestamp())
            ctx.timer_service().register_event_time_timer(ctx.timestamp() + LONG_ENOUGH)

    def on_timer(self, timestamp, ctx):
        yield f"{ctx.get_current_key()} has been hot for a minute, at second {timestamp // 1000}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
env.set_max_parallelism(128)

parsed = env.from_collection(LINES, Types.STRING()).process(Parse(), READING).name("parse").uid("parse")
parsed.get_side_output(BROKEN).map(lambda line: f"broken: {line}", Types.STRING()).print()

strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(60))
rooms = parsed.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(Seconds())).key_by(
    lambda reading: reading[0], Types.STRING()
)
means = rooms.window(TumblingEventTimeWindows.of(Time.minutes(1))).aggregate(
    Mean(),
    WithMinute(),
    accumulator_type=Types.TUPLE([Types.DOUBLE(), Types.INT()]),
    output_type=Types.STRING(),
)
means.name("mean per minute").uid("mean").print()
rooms.process(StaysHot(), Types.STRING()).name("stays hot").uid("stays-hot").print()

env.execute("sensors")
