from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    ProcessWindowFunction,
)
from pyflink.datastream.state import (
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from pyflink.datastream.window import (
    CountTrigger,
    GlobalWindows,
    PurgingTrigger,
    Trigger,
    TriggerResult,
)


class Listed(ProcessWindowFunction):
    def __init__(self, name):
        self.name = name

    def process(self, key, context, elements):
        count = context.global_state().get_state(ValueStateDescriptor("fired", Types.INT()))
        count.update((count.value() or 0) + 1)
        yield f"{self.name} {key} {[one[1] for one in elements]} firing {count.value()}"

    def clear(self, context):
        pass


class Seven(Trigger):
    def on_element(self, element, timestamp, window, ctx):
        seen = ctx.get_partitioned_state(ReducingStateDescriptor("seen", lambda a, b: a + b, Types.INT()))
        seen.add(element[1])
        return TriggerResult.FIRE_AND_PURGE if seen.get() >= 7 else TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_merge(self, window, ctx):
        pass

    def clear(self, window, ctx):
        pass


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = [("a", 1), ("a", 2), ("b", 3), ("a", 4), ("a", 5), ("b", 6), ("a", 7)]
keyed = env.from_collection(data, Types.TUPLE([Types.STRING(), Types.INT()])).key_by(lambda r: r[0])
keyed.window(GlobalWindows.create()).trigger(CountTrigger.of(2)).process(Listed("kept"), Types.STRING()).print()
keyed.window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(2))).process(
    Listed("purged"), Types.STRING()
).print()
keyed.window(GlobalWindows.create()).trigger(Seven()).process(Listed("own"), Types.STRING()).print()
env.execute()
