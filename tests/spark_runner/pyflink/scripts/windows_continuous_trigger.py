from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    ProcessWindowFunction,
)
from pyflink.datastream.state import (
    ValueStateDescriptor,
)
from pyflink.datastream.window import (
    ContinuousEventTimeTrigger,
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


class Contents(ProcessWindowFunction):
    def process(self, key, context, elements):
        runs = context.window_state().get_state(ValueStateDescriptor("runs", Types.INT()))
        runs.update((runs.value() or 0) + 1)
        yield f"{key} {context.window().start} {sorted(e[2] for e in elements)} run {runs.value()}"

    def clear(self, context):
        context.window_state().get_state(ValueStateDescriptor("runs", Types.INT())).clear()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
keyed = stamped(env.from_collection(EVENTS, PAIR)).key_by(lambda r: r[0])
keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(20))).trigger(
    ContinuousEventTimeTrigger.of(Time.milliseconds(5))
).process(Contents(), Types.STRING()).print()
env.execute()
