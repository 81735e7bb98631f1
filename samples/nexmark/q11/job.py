"""Query 11, user sessions: how often did a person bid before they paused for ten seconds?"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from sessions import joined
from tables import WHOLE, bids, environment, write

from planner import EventTimeSessionWindows, Time, Types

SESSION = Types.ROW_NAMED(["bidder", "bids", "first_bid", "last_bid"], [WHOLE, WHOLE, WHOLE, WHOLE])

env = environment()
sessions = (
    bids(env)
    .map(lambda bid: (bid.bidder, 1, bid.date_time, bid.date_time), output_type=SESSION)
    .name("ones")
    .key_by("bidder")
    .window(EventTimeSessionWindows.with_gap(Time.seconds(10)))
    .reduce(joined)
    .name("sessions")
    .uid("sessions")
)
write(sessions)
env.execute("nexmark q11")
