"""Query 2, selection: bids on some auctions."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from tables import WHOLE, bids, environment, write

from planner import Types

PRICE = Types.ROW_NAMED(["auction", "price"], [WHOLE, WHOLE])

env = environment()
wanted = bids(env).filter(lambda bid: bid.auction % 123 == 0).name("some auctions")
write(wanted.map(lambda bid: (bid.auction, bid.price), output_type=PRICE).name("prices"))
env.execute("nexmark q2")
