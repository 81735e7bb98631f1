"""Query 7, highest bid: the highest bids of every ten seconds, found in two steps."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from tables import WHOLE, bids, environment, write

from planner import ProcessWindowFunction, Time, TumblingEventTimeWindows, Types

OFFER = Types.ROW_NAMED(["auction", "bidder", "price", "date_time"], [WHOLE, WHOLE, WHOLE, WHOLE])
TEN_SECONDS = TumblingEventTimeWindows.of(Time.seconds(10))


class Highest(ProcessWindowFunction):
    """The bids with the highest price; several, where they are equal."""

    def process(self, key, context, offers):
        price = max(offer.price for offer in offers)
        return [offer for offer in offers if offer.price == price]


env = environment()
by_auction = (
    bids(env)
    .map(lambda bid: (bid.auction, bid.bidder, bid.price, bid.date_time), output_type=OFFER)
    .name("offers")
    .key_by("auction")
    .window(TEN_SECONDS)
    .process(Highest(), output_type=OFFER)
    .name("highest per auction")
    .uid("by-auction")
)
of_all = (
    by_auction.key_by(lambda offer: 0, key_type=WHOLE)
    .window(TEN_SECONDS)
    .process(Highest(), output_type=OFFER)
    .name("highest of all")
    .uid("of-all")
    .set_parallelism(1)
)
write(of_all).set_parallelism(1)
env.execute("nexmark q7")
