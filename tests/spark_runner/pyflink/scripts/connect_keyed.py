from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    KeyedCoProcessFunction,
)
from pyflink.datastream.state import (
    ListStateDescriptor,
    ValueStateDescriptor,
)


class Paired(KeyedCoProcessFunction):
    def open(self, runtime_context):
        self.left = runtime_context.get_list_state(ListStateDescriptor("left", Types.INT()))
        self.right = runtime_context.get_state(ValueStateDescriptor("right", Types.STRING()))

    def process_element1(self, value, ctx):
        self.left.add(value[1])
        yield from self.paired(ctx, [value[1]])

    def process_element2(self, value, ctx):
        self.right.update(value[1])
        yield from self.paired(ctx, self.left)

    def paired(self, ctx, numbers):
        if self.right.value() is not None:
            for number in numbers:
                yield f"{ctx.get_current_key()} {number} {self.right.value()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
a = env.from_collection([("k", 1), ("l", 2), ("k", 3)], Types.TUPLE([Types.STRING(), Types.INT()]))
b = env.from_collection([("k", "x"), ("l", "y")], Types.TUPLE([Types.STRING(), Types.STRING()]))
a.connect(b).key_by(lambda r: r[0], lambda r: r[0], Types.STRING()).process(
    Paired(), output_type=Types.STRING()
).print()
env.execute()
