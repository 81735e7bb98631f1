from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import ProcessWindowFunction
from pyflink.datastream.window import EventTimeSessionWindows, SlidingEventTimeWindows


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1] * 1000


class Shown(ProcessWindowFunction):
    def process(self, key, context, elements):
        window = context.window()
        yield key, window.start, window.end, sum(one[2] for one in elements)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
kind = Types.TUPLE([Types.STRING(), Types.INT(), Types.INT()])
left = env.from_collection([("ab"[n % 2], n * 3 % 17, n) for n in range(20)], kind)
right = env.from_collection([("ac"[n % 2], n * 5 % 23, n * 100) for n in range(10)], kind)
strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(2)).with_timestamp_assigner(Second())
keyed = left.union(right).rebalance().assign_timestamps_and_watermarks(strategy).key_by(lambda r: r[0])
result = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG(), Types.INT()])
keyed.window(SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(4), Time.seconds(1))).process(
    Shown(), result
).print()
keyed.window(EventTimeSessionWindows.with_gap(Time.seconds(2))).process(Shown(), result).print()
env.execute()
