from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import AggregateFunction, ProcessWindowFunction, StreamExecutionEnvironment, WindowFunction
from pyflink.datastream.functions import AllWindowFunction, ProcessAllWindowFunction
from pyflink.datastream.window import EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows

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

ds = stamped(env.from_collection(DATA, TI))


class W(WindowFunction):
    def apply(self, key, window, inputs):
        return [str((key, window.start, window.end, [i[1] for i in inputs]))]


class PW(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield str((key, context.window().start, context.current_watermark(), list(elements)))


class Agg(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, acc):
        return acc + value[1]

    def get_result(self, acc):
        return acc

    def merge(self, a, b):
        return a + b


k = ds.key_by(lambda v: v[0], Types.STRING())
k.window(TumblingEventTimeWindows.of(Time.seconds(5))).apply(W(), Types.STRING()).print()
k.window(TumblingEventTimeWindows.of(Time.seconds(5), Time.seconds(2))).process(PW(), Types.STRING()).print()
k.window(SlidingEventTimeWindows.of(Time.seconds(4), Time.seconds(2), Time.milliseconds(500))).apply(
    W(), Types.STRING()
).print()
k.window(SlidingEventTimeWindows.of(Time.seconds(4), Time.seconds(2))).aggregate(
    Agg(), W() if False else PW(), output_type=Types.STRING()
).print()
k.window(EventTimeSessionWindows.with_gap(Time.seconds(3))).reduce(
    lambda a, b: (a[0], a[1] + b[1]), window_function=PW(), output_type=Types.STRING()
).print()
k.window(EventTimeSessionWindows.with_gap(Time.seconds(3))).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
k.window(EventTimeSessionWindows.with_gap(Time.seconds(3))).aggregate(Agg()).print()
k.window(EventTimeSessionWindows.with_gap(Time.seconds(3))).aggregate(Agg(), window_function=PW()).print()


class AllW(AllWindowFunction):
    def apply(self, window, inputs):
        return [str(("all", window.start, window.end, sorted(inputs)))]


class PAll(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield str(("pall", context.window().max_timestamp(), sorted(elements)))


ds.window_all(TumblingEventTimeWindows.of(Time.seconds(10))).apply(AllW(), Types.STRING()).print()
ds.window_all(SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(5))).process(PAll(), Types.STRING()).print()
ds.window_all(EventTimeSessionWindows.with_gap(Time.seconds(3))).reduce(lambda a, b: (a[0] + b[0], a[1])).print()
ds.window_all(TumblingEventTimeWindows.of(Time.seconds(10))).aggregate(
    Agg(), PAll(), output_type=Types.STRING()
).print()
env.execute()
