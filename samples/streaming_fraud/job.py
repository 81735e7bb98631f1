"""A fraud detector: a large payment within a minute after a small one is an alert. A timer forgets the small one."""

from planner import (
    Duration,
    KeyedProcessFunction,
    ReaderSource,
    StreamExecutionEnvironment,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)

PAYMENT = Types.ROW_NAMED(["account", "amount", "time"], [Types.STRING(), Types.DOUBLE(), Types.LONG()])
SMALL, LARGE, MINUTE = 1.0, 500.0, 60_000


class FraudDetector(KeyedProcessFunction):
    """Flink's own tutorial, in Python."""

    def open(self, runtime_context):
        self.small_seen = runtime_context.get_state(ValueStateDescriptor("small seen", Types.LONG()))

    def process_element(self, payment, ctx):
        deadline = self.small_seen.value()
        if deadline is not None:
            if payment.amount > LARGE:
                yield f"alert: {payment.account} paid {payment.amount} right after a small amount"
            ctx.timer_service().delete_event_time_timer(deadline)
            self.small_seen.clear()
        if payment.amount < SMALL:
            deadline = payment.time + MINUTE
            self.small_seen.update(deadline)
            ctx.timer_service().register_event_time_timer(deadline)

    def on_timer(self, timestamp, ctx):
        self.small_seen.clear()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
payments = env.from_source(
    ReaderSource("csv", "output/payments", {"maxFilesPerTrigger": 1}, bounded=True),
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(2)).with_timestamp_assigner("time"),
    "payments",
    PAYMENT,
).set_parallelism(1)
payments.key_by("account").process(FraudDetector(), output_type=Types.STRING()).uid("fraud").print()
env.execute("fraud detector")
