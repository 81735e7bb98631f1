"""Query 4, average price by category: what do closed auctions bring?"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from tables import AUCTION, WHOLE, auctions, bids, environment, write

from planner import KeyedCoProcessFunction, ListStateDescriptor, Types, ValueStateDescriptor

SOLD = Types.ROW_NAMED(["category", "total", "auctions"], [WHOLE, WHOLE, WHOLE])
AVERAGE = Types.ROW_NAMED(["category", "average", "auctions"], [WHOLE, Types.DOUBLE(), WHOLE])
OFFERED = Types.TUPLE([WHOLE, WHOLE])


class WinningBid(KeyedCoProcessFunction):
    """The highest bid within an auction's time, when that time is over."""

    def open(self, runtime_context):
        self.auction = runtime_context.get_state(ValueStateDescriptor("auction", AUCTION))
        self.best = runtime_context.get_state(ValueStateDescriptor("best", WHOLE))
        self.early = runtime_context.get_list_state(ListStateDescriptor("early", OFFERED))

    def process_element1(self, auction, ctx):
        self.auction.update(auction)
        ctx.timer_service().register_event_time_timer(auction.expires)
        for price, date_time in self.early.get():
            self._offer(auction, price, date_time)
        self.early.clear()

    def process_element2(self, bid, ctx):
        auction = self.auction.value()
        if auction is None:
            self.early.add((bid.price, bid.date_time))
        else:
            self._offer(auction, bid.price, bid.date_time)

    def _offer(self, auction, price, date_time):
        best = self.best.value()
        if auction.date_time <= date_time <= auction.expires and (best is None or price > best):
            self.best.update(price)

    def on_timer(self, timestamp, ctx):
        if self.best.value() is not None:
            yield self.auction.value().category, self.best.value(), 1


def added(one, other):
    category, total, auctions = one
    _, more, further = other
    return category, total + more, auctions + further


def average(sold):
    category, total, auctions = sold
    return category, total / auctions, auctions


env = environment()
sold = (
    auctions(env)
    .connect(bids(env))
    .key_by(lambda auction: auction.id, lambda bid: bid.auction, key_type=WHOLE)
    .process(WinningBid(), output_type=SOLD)
    .name("winning bids")
    .uid("winning-bids")
)
totals = sold.key_by("category").reduce(added).name("totals").uid("totals")
write(totals.map(average, output_type=AVERAGE).name("averages"))
env.execute("nexmark q4")
