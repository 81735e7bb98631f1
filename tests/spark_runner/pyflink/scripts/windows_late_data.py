from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import OutputTag, StreamExecutionEnvironment
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

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
late = OutputTag("late")
result = (
    stamped(env.from_collection(EVENTS + [("a", 1, 99)], PAIR))
    .key_by(lambda r: r[0])
    .window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    .allowed_lateness(5)
    .side_output_late_data(late)
    .reduce(lambda a, b: (a[0], max(a[1], b[1]), a[2] + b[2]))
)
result.print()
result.get_side_output(late).map(lambda r: "late " + str(r)).print()
env.execute()
