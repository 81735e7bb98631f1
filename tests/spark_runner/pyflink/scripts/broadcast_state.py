from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    BroadcastProcessFunction,
    KeyedBroadcastProcessFunction,
)
from pyflink.datastream.state import (
    MapStateDescriptor,
    ValueStateDescriptor,
)

RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())


class Ruled(BroadcastProcessFunction):
    def __init__(self):
        self.waiting = []

    def process_element(self, value, ctx):
        if len(ctx.get_broadcast_state(RULES).keys().__iter__().__class__.__name__) < 0:
            yield "never"
        self.waiting.append(value)
        yield from self.ready(ctx)

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(value[0], value[1])
        yield from self.ready(ctx)

    def ready(self, ctx):
        state = ctx.get_broadcast_state(RULES)
        kept, self.waiting = self.waiting, []
        for value in kept:
            if state.contains(value[0]):
                yield f"{value[0]} {value[1] * state.get(value[0])}"
            else:
                self.waiting.append(value)


class KeyedRuled(KeyedBroadcastProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield f"key {ctx.get_current_key()} {count}"

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(value[0], value[1])
        yield f"rule {value[0]} {value[1]}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
rules = MapStateDescriptor("rules", Types.STRING(), Types.INT())
data = env.from_collection([("a", 1), ("b", 2), ("a", 3)], Types.TUPLE([Types.STRING(), Types.INT()]))
control = env.from_collection([("a", 10), ("b", 100)], Types.TUPLE([Types.STRING(), Types.INT()]))
data.connect(control.broadcast(rules)).process(Ruled(), output_type=Types.STRING()).print()
data.key_by(lambda r: r[0]).connect(control.broadcast(rules)).process(KeyedRuled(), output_type=Types.STRING()).print()
env.execute()
