from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import FlatMapFunction, MapFunction


class Growing(FlatMapFunction):
    def __init__(self):
        self.seen = []

    def flat_map(self, value):
        self.seen.append(value)
        yield self.seen
        yield {"seen": self.seen}


class Spoiling(MapFunction):
    def map(self, value):
        if isinstance(value, list):
            value.append("spoiled")
        return str(value)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
grown = env.from_collection([1, 2, 3]).flat_map(Growing())
grown.map(Spoiling()).print()
grown.map(lambda value: "other " + str(value)).print()
grown.rebalance().map(lambda value: "moved " + str(value), output_type=Types.STRING()).print()
env.execute()
