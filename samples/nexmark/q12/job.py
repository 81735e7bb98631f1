"""Query 12, processing time windows: how often does a person bid in ten seconds of our own clock?"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from tables import WHOLE, bids, environment, write

from planner import KeyedProcessFunction, Types, ValueStateDescriptor

TEN_SECONDS = 10_000
COUNT = Types.ROW_NAMED(["bidder", "bids", "begin", "end"], [WHOLE, WHOLE, WHOLE, WHOLE])


class CountByClock(KeyedProcessFunction):
    """Counts until the clock reaches the end of the ten seconds at hand. A timer then gives the count."""

    def open(self, runtime_context):
        self.bids = runtime_context.get_state(ValueStateDescriptor("bids", WHOLE))
        self.until = runtime_context.get_state(ValueStateDescriptor("until", WHOLE))

    def process_element(self, bid, ctx):
        now = ctx.timer_service().current_processing_time()
        end = now - now % TEN_SECONDS + TEN_SECONDS
        if self.until.value() not in (None, end):
            yield from self._count(ctx.get_current_key())  # the clock passed the end before the timer did
        self.until.update(end)
        self.bids.update((self.bids.value() or 0) + 1)
        ctx.timer_service().register_processing_time_timer(end)

    def on_timer(self, timestamp, ctx):
        if self.until.value() == timestamp:
            yield from self._count(ctx.get_current_key())

    def _count(self, bidder):
        until = self.until.value()
        yield bidder, self.bids.value(), until - TEN_SECONDS, until
        self.bids.clear()
        self.until.clear()


env = environment()
counts = bids(env).key_by("bidder").process(CountByClock(), output_type=COUNT)
write(counts.name("bids by clock").uid("bids-by-clock"))
env.execute("nexmark q12")
