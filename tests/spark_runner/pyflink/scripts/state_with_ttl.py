from pyflink.common import Time, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    KeyedProcessFunction,
)
from pyflink.datastream.state import (
    StateTtlConfig,
    ValueStateDescriptor,
)


class Short(KeyedProcessFunction):
    def open(self, runtime_context):
        short = (
            StateTtlConfig.new_builder(Time.minutes(30))
            .set_update_type(StateTtlConfig.UpdateType.OnCreateAndWrite)
            .set_state_visibility(StateTtlConfig.StateVisibility.NeverReturnExpired)
            .build()
        )
        long = StateTtlConfig.new_builder(Time.hours(1)).build()
        forgetting, keeping = ValueStateDescriptor("short", Types.INT()), ValueStateDescriptor("long", Types.INT())
        forgetting.enable_time_to_live(short)
        keeping.enable_time_to_live(long)
        self.short, self.long = runtime_context.get_state(forgetting), runtime_context.get_state(keeping)

    def process_element(self, value, ctx):
        yield f"{value} {self.short.value()} {self.long.value()}"
        count = (self.long.value() or 0) + 1
        self.short.update(count)
        self.long.update(count)
        yield f"now {self.short.value()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["a", "a", "b", "a"], Types.STRING()).key_by(lambda r: r).process(
    Short(), output_type=Types.STRING()
).print()
env.execute()
