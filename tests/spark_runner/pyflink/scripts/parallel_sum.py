from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    KeyedProcessFunction,
)
from pyflink.datastream.state import (
    ValueStateDescriptor,
)


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield ctx.get_current_key(), count


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
env.from_collection([(n % 5, n) for n in range(100)], Types.TUPLE([Types.INT(), Types.INT()])).rebalance().map(
    lambda pair: (pair[0], pair[1] * 2), output_type=Types.TUPLE([Types.INT(), Types.INT()])
).key_by(lambda pair: pair[0]).process(Count(), output_type=Types.TUPLE([Types.INT(), Types.INT()])).map(
    lambda pair: pair if pair[1] == 20 else None
).filter(lambda pair: pair is not None).print()
env.execute()
