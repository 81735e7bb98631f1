from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    KeyedProcessFunction,
)


class Alarm(KeyedProcessFunction):
    def process_element(self, value, ctx):
        now = ctx.timer_service().current_processing_time()
        ctx.timer_service().register_processing_time_timer(now + 3600000)
        yield f"{value} {now > 1600000000000} {ctx.timestamp()}"

    def on_timer(self, timestamp, ctx):
        yield "alarm"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["a", "b", "a"], Types.STRING()).key_by(lambda r: r).process(
    Alarm(), output_type=Types.STRING()
).print()
env.execute()
