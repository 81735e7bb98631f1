from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment, WindowFunction
from pyflink.datastream.functions import AllWindowFunction

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

ds = env.from_collection(DATA, TI)
k = ds.key_by(lambda v: v[0], Types.STRING())


class W(WindowFunction):
    def apply(self, key, window, inputs):
        return [str((key, window.id, [i[1] for i in inputs]))]


class PW(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield str((key, type(context.window()).__name__, context.window().max_timestamp(), list(elements)))


k.count_window(2).apply(W(), Types.STRING()).print()
k.count_window(3, 1).apply(W(), Types.STRING()).print()
k.count_window(3, 2).process(PW(), Types.STRING()).print()
k.count_window(2).reduce(lambda a, b: (a[0], a[1] + b[1])).print()


class AllW(AllWindowFunction):
    def apply(self, window, inputs):
        return [str((window.id, [i[1] for i in inputs]))]


env.execute()
