from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    BroadcastProcessFunction,
    KeyedBroadcastProcessFunction,
    OutputTag,
    StreamExecutionEnvironment,
)
from pyflink.datastream.functions import MapStateDescriptor, ValueStateDescriptor

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

desc = MapStateDescriptor("rules", Types.STRING(), Types.INT())
a = env.from_collection(DATA, TI)
r = env.from_collection([("a", 1), ("b", 2)], Types.TUPLE([Types.STRING(), Types.INT()]))
tag = OutputTag("b", Types.STRING())


class B(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        ctx.get_broadcast_state(desc)
        if False:
            yield
        return

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(desc).put(value[0], value[1])
        s = ctx.get_broadcast_state(desc)
        yield str(sorted(s.items()))
        yield tag, f"got {value[0]}"
        yield str((value[0] in s, s[value[0]], len(list(s.keys())), s.is_empty() if hasattr(s, "is_empty") else None))


o = a.connect(r.broadcast(desc)).process(B(), Types.STRING())
o.print()
o.get_side_output(tag).print()


class K(KeyedBroadcastProcessFunction):
    def open(self, rc):
        self.n = rc.get_state(ValueStateDescriptor("n", Types.INT()))

    def process_element(self, value, ctx):
        self.n.update((self.n.value() or 0) + 1)
        yield str((ctx.get_current_key(), value, self.n.value()))
        ctx.timer_service().register_processing_time_timer(1)

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(desc).put(value[0], value[1])
        yield str((value, ctx.timestamp()))

    def on_timer(self, ts, ctx):
        yield f"timer {ts} {ctx.get_current_key()}"


a.key_by(lambda v: v[0], Types.STRING()).connect(r.broadcast(desc)).process(K(), Types.STRING()).print()
env.execute()
