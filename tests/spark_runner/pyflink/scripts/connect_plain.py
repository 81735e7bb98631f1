from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
)


class Texts(CoMapFunction):
    def map1(self, value):
        return f"number {value}" if value != 2 else None

    def map2(self, value):
        return f"text {value}"


class Several(CoFlatMapFunction):
    def flat_map1(self, value):
        for _ in range(value):
            yield f"n{value}"

    def flat_map2(self, value):
        yield value.upper()


class Both(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield f"one {value}"

    def process_element2(self, value, ctx):
        yield f"two {value}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
a = env.from_collection([1, 2], Types.INT())
b = env.from_collection(["x", "y"], Types.STRING())
a.connect(b).map(Texts(), output_type=Types.STRING()).print()
a.connect(b).flat_map(Several(), output_type=Types.STRING()).print()
a.connect(b).process(Both(), output_type=Types.STRING()).print()
env.execute()
