"""Query 1, currency conversion: the price of every bid in euros."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from tables import TEXT, WHOLE, bids, environment, write

from planner import Types

IN_EUROS = Types.ROW_NAMED(
    ["auction", "bidder", "price", "date_time", "extra"], [WHOLE, WHOLE, Types.DOUBLE(), WHOLE, TEXT]
)


def in_euros(bid):
    return bid.auction, bid.bidder, bid.price * 0.908, bid.date_time, bid.extra


env = environment()
write(bids(env).map(in_euros, output_type=IN_EUROS).name("in euros"))
env.execute("nexmark q1")
