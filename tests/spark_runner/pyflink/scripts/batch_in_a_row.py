from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Last(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, r, ctx):
        self.last.update(r)
        ctx.timer_service().register_event_time_timer(10**12)
        yield from ()

    def on_timer(self, timestamp, ctx):
        yield str(self.last.value())


env = StreamExecutionEnvironment.get_execution_environment()
env.set_runtime_mode(RuntimeExecutionMode.BATCH)
env.set_parallelism(1)
pairs = env.from_collection([("a", 1), ("b", 2), ("c", 3)])
sums = pairs.key_by(lambda r: r[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))
sums.key_by(lambda r: r[0]).process(Last(), Types.STRING()).print()
env.execute("small")
