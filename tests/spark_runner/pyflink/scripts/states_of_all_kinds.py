from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    AggregateFunction,
    KeyedProcessFunction,
)
from pyflink.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


class All(KeyedProcessFunction):
    def open(self, runtime_context):
        self.value = runtime_context.get_state(ValueStateDescriptor("value", Types.INT()))
        self.list = runtime_context.get_list_state(ListStateDescriptor("list", Types.INT()))
        self.map = runtime_context.get_map_state(MapStateDescriptor("map", Types.STRING(), Types.INT()))
        self.sum = runtime_context.get_reducing_state(ReducingStateDescriptor("sum", lambda a, b: a + b, Types.INT()))
        self.mean = runtime_context.get_aggregating_state(
            AggregatingStateDescriptor("mean", Mean(), Types.PICKLED_BYTE_ARRAY())
        )

    def process_element(self, value, ctx):
        before = self.value.value()
        self.value.update(value[1])
        self.list.add(value[1])
        self.map.put(str(value[1]), value[1] * 10)
        self.sum.add(value[1])
        self.mean.add(value[1])
        yield (
            f"{ctx.get_current_key()} {before} {list(self.list)} {sorted(self.map.items())} {self.sum.get()} "
            f"{self.mean.get()} {self.map.contains('1')} {'3' in self.map} {self.map.is_empty()}"
        )
        if value[1] == 3:
            self.list.update([9, 8])
            self.map.remove("1")
            self.sum.clear()
            self.value.clear()
            self.mean.clear()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(
    [("a", 1), ("b", 2), ("a", 3), ("a", 5), ("b", 4)], Types.TUPLE([Types.STRING(), Types.INT()])
).key_by(lambda r: r[0]).process(All(), output_type=Types.STRING()).print()
env.execute()
