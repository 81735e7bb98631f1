from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    AllWindowFunction,
    ProcessAllWindowFunction,
)
from pyflink.datastream.window import (
    TumblingEventTimeWindows,
)


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def stamped(stream):
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(Second())
    return stream.assign_timestamps_and_watermarks(strategy)


EVENTS = [("a", 1, 10), ("b", 3, 20), ("a", 4, 30), ("a", 12, 40), ("b", 11, 50), ("a", 2, 60), ("b", 25, 70)]
PAIR = Types.TUPLE([Types.STRING(), Types.LONG(), Types.INT()])


class Whole(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield f"{context.window().start} {sorted(e[2] for e in elements)}"


class Applied(AllWindowFunction):
    def apply(self, window, inputs):
        yield sum(e[2] for e in inputs)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
stream = stamped(env.from_collection(EVENTS, PAIR))
stream.window_all(TumblingEventTimeWindows.of(Time.milliseconds(10))).process(Whole(), Types.STRING()).print()
stream.window_all(TumblingEventTimeWindows.of(Time.milliseconds(10))).apply(Applied(), Types.INT()).print()
stream.window_all(TumblingEventTimeWindows.of(Time.milliseconds(10))).reduce(
    lambda a, b: (a[0], a[1], a[2] + b[2])
).map(lambda r: r[2], output_type=Types.INT()).print()
env.execute()
