from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, OutputTag, StreamExecutionEnvironment
from pyflink.datastream.functions import ValueStateDescriptor

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
tag = OutputTag("late", Types.STRING())


class F(KeyedProcessFunction):
    def open(self, rc):
        self.n = rc.get_state(ValueStateDescriptor("n", Types.INT()))

    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(value[1] + 1000)
        ctx.timer_service().register_event_time_timer(value[1] + 1000)
        if value[1] == 9000:
            ctx.timer_service().delete_event_time_timer(2000 + 1000)
        self.n.update((self.n.value() or 0) + 1)
        yield str(("el", value, ctx.timestamp(), ctx.timer_service().current_watermark()))
        yield tag, f"side {value}"

    def on_timer(self, timestamp, ctx):
        yield str(("timer", ctx.get_current_key(), timestamp, ctx.timestamp(), ctx.time_domain().name, self.n.value()))
        if timestamp < 30000:
            ctx.timer_service().register_event_time_timer(timestamp + 20000)
        yield tag, f"timer {timestamp}"


o = ds.key_by(lambda v: v[0], Types.STRING()).process(F(), Types.STRING())
o.print()
o.get_side_output(tag).map(lambda s: "S " + s, Types.STRING()).print()
env.execute()
