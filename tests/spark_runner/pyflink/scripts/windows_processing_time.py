from pyflink.common import Time, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.window import (
    ProcessingTimeSessionWindows,
    TumblingProcessingTimeWindows,
)

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = [("a", 1), ("b", 2), ("a", 3)]
keyed = env.from_collection(data, Types.TUPLE([Types.STRING(), Types.INT()])).key_by(lambda r: r[0])
keyed.window(TumblingProcessingTimeWindows.of(Time.hours(10))).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
keyed.window(ProcessingTimeSessionWindows.with_gap(Time.hours(1))).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
keyed.map(lambda r: "seen " + r[0]).print()
env.execute()
