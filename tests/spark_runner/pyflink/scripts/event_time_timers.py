from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    KeyedProcessFunction,
)
from pyflink.datastream.state import (
    ValueStateDescriptor,
)


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def stamped(stream):
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(Second())
    return stream.assign_timestamps_and_watermarks(strategy)


EVENTS = [("a", 1, 10), ("b", 3, 20), ("a", 4, 30), ("a", 12, 40), ("b", 11, 50), ("a", 2, 60), ("b", 25, 70)]
PAIR = Types.TUPLE([Types.STRING(), Types.LONG(), Types.INT()])


class Timers(KeyedProcessFunction):
    def open(self, runtime_context):
        self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.INT()))

    def process_element(self, value, ctx):
        self.total.update((self.total.value() or 0) + value[2])
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 10)
        if value[1] == 4:
            ctx.timer_service().delete_event_time_timer(11)
        yield f"seen {value[0]} {ctx.timestamp()} {ctx.timer_service().current_watermark()}"

    def on_timer(self, timestamp, ctx):
        yield f"timer {ctx.get_current_key()} {timestamp} {ctx.timestamp()} {ctx.time_domain().name} {self.total.value()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
stamped(env.from_collection(EVENTS, PAIR)).key_by(lambda r: r[0]).process(Timers(), output_type=Types.STRING()).print()
env.execute()
