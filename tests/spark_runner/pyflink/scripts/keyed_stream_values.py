from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    MapFunction,
)
from pyflink.datastream.state import (
    ValueStateDescriptor,
)


class Numbered(MapFunction):
    def open(self, runtime_context):
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.INT()))

    def map(self, value):
        number = (self.seen.value() or 0) + 1
        self.seen.update(number)
        return value[0], number


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
keyed = env.from_collection([("a", 1), ("b", 2)], Types.TUPLE([Types.STRING(), Types.INT()])).key_by(lambda r: r[0])
keyed.print()
keyed.union(env.from_collection([("c", 3)], Types.TUPLE([Types.STRING(), Types.INT()]))).print()
keyed.map(Numbered()).print()
keyed.flat_map(lambda r: [r[0]] * r[1], output_type=Types.STRING()).print()
keyed.filter(lambda r: r[1] > 1).print()
env.execute()
