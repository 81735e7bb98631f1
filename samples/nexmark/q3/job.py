"""Query 3, local item suggestion: who sells things of one category in three states? A join without windows."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))  # tables.py is shared by all queries

from tables import AUCTION, PERSON, TEXT, WHOLE, auctions, environment, people, write

from planner import KeyedCoProcessFunction, ListStateDescriptor, Types, ValueStateDescriptor

OFFER = Types.ROW_NAMED(["name", "city", "state", "auction"], [TEXT, TEXT, TEXT, WHOLE])


class Seller(KeyedCoProcessFunction):
    """Auctions meet their seller. Those that come first wait, because some auctions are opened before."""

    def open(self, runtime_context):
        self.person = runtime_context.get_state(ValueStateDescriptor("person", PERSON))
        self.waiting = runtime_context.get_list_state(ListStateDescriptor("waiting", AUCTION))

    def process_element1(self, auction, ctx):
        person = self.person.value()
        if person is None:
            self.waiting.add(auction)
        else:
            yield person.name, person.city, person.state, auction.id

    def process_element2(self, person, ctx):
        self.person.update(person)
        for auction in self.waiting.get():
            yield person.name, person.city, person.state, auction.id
        self.waiting.clear()


env = environment()
things = auctions(env).filter(lambda auction: auction.category == 10).name("one category")
near = people(env).filter(lambda person: person.state in ("OR", "ID", "CA")).name("three states")
offers = (
    things.connect(near)
    .key_by(lambda auction: auction.seller, lambda person: person.id, key_type=WHOLE)
    .process(Seller(), output_type=OFFER)
    .name("sellers")
    .uid("sellers")
)
write(offers)
env.execute("nexmark q3")
