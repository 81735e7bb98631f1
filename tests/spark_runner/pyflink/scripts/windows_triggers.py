from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment, Trigger, TriggerResult
from pyflink.datastream.functions import ReducingStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindows,
    NeverTrigger,
    PurgingTrigger,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def stamped(ds, delay=0):
    return ds.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(delay)).with_timestamp_assigner(Stamp())
    )


DATA = [("a", 1000), ("b", 1500), ("a", 2000), ("a", 9000), ("b", 3000), ("c", 12000), ("a", 15000)]
TI = Types.TUPLE([Types.STRING(), Types.LONG()])

ds = stamped(env.from_collection(DATA, TI))
k = ds.key_by(lambda v: v[0], Types.STRING())


class PW(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield str((key, [e[1] for e in elements]))


class PWW(ProcessWindowFunction):
    def open(self, rc):
        self.rc = rc

    def process(self, key, context, elements):
        s = context.window_state().get_state(ValueStateDescriptor("n", Types.INT()))
        g = context.global_state().get_state(ValueStateDescriptor("g", Types.INT()))
        n = (s.value() or 0) + 1
        s.update(n)
        g.update((g.value() or 0) + 1)
        yield str((key, context.window().start, n, g.value(), [e[1] for e in elements]))

    def clear(self, context):
        context.window_state().get_state(ValueStateDescriptor("n", Types.INT())).clear()


k.window(GlobalWindows.create()).trigger(CountTrigger.of(2)).process(PW(), Types.STRING()).print()
k.window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(2))).process(PW(), Types.STRING()).print()
k.window(TumblingEventTimeWindows.of(Time.seconds(10))).trigger(CountTrigger.of(2)).process(
    PW(), Types.STRING()
).print()
k.window(TumblingEventTimeWindows.of(Time.seconds(10))).trigger(PurgingTrigger.of(EventTimeTrigger.create())).process(
    PWW(), Types.STRING()
).print()
k.window(TumblingEventTimeWindows.of(Time.seconds(10))).trigger(ContinuousEventTimeTrigger.of(Time.seconds(2))).process(
    PWW(), Types.STRING()
).print()
k.window(EventTimeSessionWindows.with_gap(Time.seconds(3))).trigger(CountTrigger.of(2)).process(
    PW(), Types.STRING()
).print()
k.window(GlobalWindows.create()).process(PW(), Types.STRING()).print()
k.window(TumblingEventTimeWindows.of(Time.seconds(10))).trigger(NeverTrigger()).process(PW(), Types.STRING()).print()


class My(Trigger):
    @staticmethod
    def create():
        return My()

    def on_element(self, element, timestamp, window, ctx):
        s = ctx.get_partitioned_state(ReducingStateDescriptor("c", lambda a, b: a + b, Types.INT()))
        s.add(1)
        ctx.register_event_time_timer(window.max_timestamp())
        return TriggerResult.FIRE if s.get() == 2 else TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.FIRE_AND_PURGE if time >= window.max_timestamp() else TriggerResult.CONTINUE

    def on_merge(self, window, ctx):
        ctx.merge_partitioned_state(ReducingStateDescriptor("c", lambda a, b: a + b, Types.INT()))
        ctx.register_event_time_timer(window.max_timestamp())

    def can_merge(self):
        return True

    def clear(self, window, ctx):
        ctx.get_partitioned_state(ReducingStateDescriptor("c", lambda a, b: a + b, Types.INT())).clear()
        ctx.delete_event_time_timer(window.max_timestamp())


k.window(SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(5))).trigger(My()).process(
    PWW(), Types.STRING()
).print()
k.window(EventTimeSessionWindows.with_gap(Time.seconds(4))).trigger(My()).process(PW(), Types.STRING()).print()
env.execute()
