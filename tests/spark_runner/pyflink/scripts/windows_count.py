from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    WindowFunction,
)


class Listed(WindowFunction):
    def apply(self, key, window, inputs):
        yield f"{key} {[one[1] for one in inputs]}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = [("a", 1), ("a", 2), ("b", 3), ("a", 4), ("a", 5), ("b", 6), ("a", 7)]
keyed = env.from_collection(data, Types.TUPLE([Types.STRING(), Types.INT()])).key_by(lambda r: r[0])
keyed.count_window(2).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
keyed.count_window(3, 2).apply(Listed(), Types.STRING()).print()
env.execute()
