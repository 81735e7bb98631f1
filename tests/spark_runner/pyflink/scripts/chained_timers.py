from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import OutputTag, StreamExecutionEnvironment
from pyflink.datastream.functions import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor

LATE = OutputTag("timers", Types.STRING())


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Chained(KeyedProcessFunction):
    def open(self, runtime_context):
        self.left = runtime_context.get_state(ValueStateDescriptor("left", Types.INT()))
        self.counter = runtime_context.get_metrics_group().counter("seen")

    def process_element(self, value, ctx):
        self.counter.inc()
        self.left.update(2)
        ctx.timer_service().register_event_time_timer(value[1] + 5)
        yield f"{value[0]} {value[1]}"

    def on_timer(self, timestamp, ctx):
        left = self.left.value()
        yield OutputTag("timers", Types.STRING()), f"{ctx.get_current_key()} {timestamp} {left}"
        if left:
            self.left.update(left - 1)
            ctx.timer_service().register_event_time_timer(timestamp + 1)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
events = env.from_collection([("a", 1), ("b", 2), ("a", 7)], Types.TUPLE([Types.STRING(), Types.LONG()]))
result = (
    events.assign_timestamps_and_watermarks(strategy)
    .key_by(lambda r: r[0])
    .process(Chained(), output_type=Types.STRING())
)
result.print()
result.get_side_output(LATE).map(lambda s: "timer " + s, output_type=Types.STRING()).print()
env.execute()
