from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import CoMapFunction, CoProcessFunction, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def stamped(ds, delay=0):
    return ds.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(delay)).with_timestamp_assigner(Stamp())
    )


DATA = [("a", 1000), ("b", 1500), ("a", 2000), ("a", 9000), ("b", 3000), ("c", 12000), ("a", 15000)]
TI = Types.TUPLE([Types.STRING(), Types.LONG()])

a = env.from_collection(DATA, TI).key_by(lambda v: v[0])
b = env.from_collection([1, 2], Types.INT())


class P(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield f"1 {type(value).__name__} {value!r}"

    def process_element2(self, value, ctx):
        yield f"2 {type(value).__name__} {value!r}"


a.connect(b).process(P()).print()


class M(CoMapFunction):
    def map1(self, v):
        return f"m1 {v!r}"

    def map2(self, v):
        return f"m2 {v!r}"


b.connect(a).map(M(), Types.STRING()).print()
env.execute()
