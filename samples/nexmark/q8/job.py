"""Query 8, monitor new users: who opened an auction within the ten seconds in which they joined?"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from tables import TEXT, WHOLE, auctions, environment, people, write

from planner import ProcessWindowFunction, Time, TumblingEventTimeWindows, Types

SEEN = Types.ROW_NAMED(["person", "name"], [WHOLE, TEXT])
NEW_SELLER = Types.ROW_NAMED(["person", "name", "since"], [WHOLE, TEXT, WHOLE])


class JoinedAndSold(ProcessWindowFunction):
    """A person's records in one window: one with a name for joining, one without for every auction."""

    def process(self, key, context, seen):
        names = [one.name for one in seen if one.name is not None]
        if names and len(names) < len(seen):
            yield key, names[0], context.window().start


env = environment()
joined = people(env).map(lambda person: (person.id, person.name), output_type=SEEN).name("joined")
opened = auctions(env).map(lambda auction: (auction.seller, None), output_type=SEEN).name("opened")
new_sellers = (
    joined.union(opened)
    .key_by("person")
    .window(TumblingEventTimeWindows.of(Time.seconds(10)))
    .process(JoinedAndSold(), output_type=NEW_SELLER)
    .name("new sellers")
    .uid("new-sellers")
)
write(new_sellers)
env.execute("nexmark q8")
