from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    FilterFunction,
    FlatMapFunction,
    KeySelector,
    MapFunction,
    ReduceFunction,
)


class Plus(MapFunction):
    def open(self, runtime_context):
        self.more = 10

    def map(self, value):
        return value + self.more


class Even(FilterFunction):
    def filter(self, value):
        return value % 2 == 0


class Twice(FlatMapFunction):
    def flat_map(self, value):
        return [value, value]


class Last(KeySelector):
    def get_key(self, value):
        return value % 10 // 4


class Add(ReduceFunction):
    def reduce(self, a, b):
        return a + b


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection(list(range(6)), Types.INT())
(
    numbers.map(Plus(), output_type=Types.INT())
    .filter(Even())
    .flat_map(Twice(), output_type=Types.INT())
    .key_by(Last(), key_type=Types.INT())
    .reduce(Add())
    .print()
)
env.execute()
