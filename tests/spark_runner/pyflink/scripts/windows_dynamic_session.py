from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    AggregateFunction,
    ProcessWindowFunction,
    WindowFunction,
)
from pyflink.datastream.window import (
    EventTimeSessionWindows,
    SessionWindowTimeGapExtractor,
)


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def stamped(stream):
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(Second())
    return stream.assign_timestamps_and_watermarks(strategy)


EVENTS = [("a", 1, 10), ("b", 3, 20), ("a", 4, 30), ("a", 12, 40), ("b", 11, 50), ("a", 2, 60), ("b", 25, 70)]
PAIR = Types.TUPLE([Types.STRING(), Types.LONG(), Types.INT()])


class Gap(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return 3 if element[0] == "a" else 10


class Contents(ProcessWindowFunction):
    def process(self, key, context, elements):
        window = context.window()
        yield f"{key} [{window.start},{window.end}) {sorted(e[2] for e in elements)}"


class Applied(WindowFunction):
    def apply(self, key, window, inputs):
        yield key, window.max_timestamp(), len(list(inputs))


class Named(ProcessWindowFunction):
    def process(self, key, context, elements):
        for one in elements:
            yield f"{key} {context.window().end} {one}"


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value[2], accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
keyed = stamped(env.from_collection(EVENTS, PAIR)).key_by(lambda r: r[0], key_type=Types.STRING())
windows = keyed.window(EventTimeSessionWindows.with_dynamic_gap(Gap()))
windows.process(Contents(), Types.STRING()).print()
windows.reduce(lambda a, b: (a[0], max(a[1], b[1]), a[2] + b[2])).print()
windows.aggregate(Mean(), output_type=Types.DOUBLE()).print()
windows.apply(Applied(), Types.TUPLE([Types.STRING(), Types.LONG(), Types.INT()])).print()
windows.aggregate(Mean(), Named(), output_type=Types.STRING()).print()
windows.reduce(lambda a, b: (a[0], b[1], a[2] + b[2]), Named(), output_type=Types.STRING()).print()
env.execute()
