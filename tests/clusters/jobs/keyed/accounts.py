"""What the job beside this needs, in a module of its own."""

from planner import KeyedProcessFunction, OutputTag, TimestampAssigner, Types, ValueStateDescriptor

ENTRY = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
TOTAL = Types.TUPLE([Types.STRING(), Types.STRING(), Types.LONG(), Types.LONG()])
LARGE = OutputTag("large", ENTRY)


class BookedAt(TimestampAssigner):
    """An entry's own time."""

    def extract_timestamp(self, value, record_timestamp):
        return value[2]


class Bookings(KeyedProcessFunction):
    """A total for each account, given half a minute after its first entry and at the end; large entries go aside."""

    def open(self, runtime_context):
        self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.LONG()))

    def process_element(self, value, ctx):
        if self.total.value() is None:
            ctx.timer_service().register_event_time_timer(value[2] + 30_000)
        self.total.update((self.total.value() or 0) + value[1])
        ctx.timer_service().register_event_time_timer(1_000_000)
        if value[1] >= 40:
            yield LARGE, value

    def on_timer(self, timestamp, ctx):
        yield "total", ctx.get_current_key(), self.total.value() if timestamp == 1_000_000 else 0, timestamp
