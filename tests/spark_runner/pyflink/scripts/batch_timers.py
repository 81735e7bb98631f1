from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.datastream.functions import (
    KeyedProcessFunction,
)
from pyflink.datastream.state import (
    ListStateDescriptor,
)


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def stamped(stream):
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(Second())
    return stream.assign_timestamps_and_watermarks(strategy)


EVENTS = [("a", 1, 10), ("b", 3, 20), ("a", 4, 30), ("a", 12, 40), ("b", 11, 50), ("a", 2, 60), ("b", 25, 70)]
PAIR = Types.TUPLE([Types.STRING(), Types.LONG(), Types.INT()])


class Order(KeyedProcessFunction):
    def open(self, runtime_context):
        self.seen = runtime_context.get_list_state(ListStateDescriptor("seen", Types.LONG()))

    def process_element(self, value, ctx):
        self.seen.add(value[1])
        ctx.timer_service().register_event_time_timer(value[1] + 100)
        ctx.timer_service().register_processing_time_timer(4000000000000)
        yield f"{value[0]} {value[1]} {list(self.seen)}"

    def on_timer(self, timestamp, ctx):
        at = timestamp if ctx.time_domain().name == "EVENT_TIME" else "later"
        yield f"timer {ctx.get_current_key()} {at} {ctx.time_domain().name}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.set_runtime_mode(RuntimeExecutionMode.BATCH)
keyed = stamped(env.from_collection(EVENTS, PAIR)).key_by(lambda r: r[0])
keyed.process(Order(), output_type=Types.STRING()).print()
env.execute()
