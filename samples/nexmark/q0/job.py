"""Query 0, pass through: every bid as it came. What reading and writing cost."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from tables import BID, bids, environment, write

env = environment()
write(bids(env).map(lambda bid: bid, output_type=BID).name("as it is"))
env.execute("nexmark q0")
