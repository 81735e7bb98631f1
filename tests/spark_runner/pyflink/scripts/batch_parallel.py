from pyflink.common import Types
from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.datastream.functions import BroadcastProcessFunction
from pyflink.datastream.state import MapStateDescriptor

RATES = MapStateDescriptor("rates", Types.INT(), Types.INT())


class Priced(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value[0]} {value[1] * (ctx.get_broadcast_state(RATES).get(value[0]) or 0)}"

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RATES).put(value[0], value[1])


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
env.set_runtime_mode(RuntimeExecutionMode.BATCH)
pair = Types.TUPLE([Types.INT(), Types.INT()])
numbers = env.from_collection([(n % 3, n) for n in range(12)], pair)
rates = env.from_collection([(0, 10), (1, 100), (2, 1000)], pair)
numbers.key_by(lambda p: p[0], key_type=Types.INT()).sum(1).print()
numbers.rebalance().connect(rates.broadcast(RATES)).process(Priced(), output_type=Types.STRING()).print()
env.execute()
