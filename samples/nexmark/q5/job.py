"""Query 5, hot items: which auctions had the most bids in the last ten seconds? Asked every two seconds."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from tables import WHOLE, bids, environment, write

from planner import ProcessWindowFunction, SlidingEventTimeWindows, Time, TumblingEventTimeWindows, Types

COUNT = Types.ROW_NAMED(["auction", "bids"], [WHOLE, WHOLE])
HOT = Types.ROW_NAMED(["auction", "bids", "until"], [WHOLE, WHOLE, WHOLE])


class Most(ProcessWindowFunction):
    """The auctions with the most bids; several, where they have the same number."""

    def process(self, key, context, counts):
        most = max(count.bids for count in counts)
        for count in counts:
            if count.bids == most:
                yield count.auction, count.bids, context.window().end


env = environment()
counts = (
    bids(env)
    .map(lambda bid: (bid.auction, 1), output_type=COUNT)
    .name("ones")
    .key_by("auction")
    .window(SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(2)))
    .reduce(lambda one, other: (one[0], one[1] + other[1]))
    .name("bids per auction")
    .uid("counts")
)
# A count has the time of its window's end, and windows end every two seconds: all counts of one end meet.
hot = (
    counts.key_by(lambda count: 0, key_type=WHOLE)
    .window(TumblingEventTimeWindows.of(Time.seconds(2)))
    .process(Most(), output_type=HOT)
    .name("most bids")
    .uid("most")
    .set_parallelism(1)
)
write(hot).set_parallelism(1)
env.execute("nexmark q5")
