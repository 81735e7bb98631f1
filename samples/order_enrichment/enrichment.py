"""What the operators of the job do, apart from how they are connected."""

from datetime import datetime

from planner import (
    AsyncFunction,
    KeyedCoProcessFunction,
    ListStateDescriptor,
    OutputTag,
    ProcessFunction,
    TimestampAssigner,
    Types,
    ValueStateDescriptor,
)

REJECTED = OutputTag("rejected", Types.STRING())

ORDER = Types.ROW_NAMED(
    ["order_id", "customer_id", "product", "quantity", "cents", "placed"],
    [Types.STRING(), Types.STRING(), Types.STRING(), Types.LONG(), Types.LONG(), Types.LONG()],
)
CUSTOMER = Types.TUPLE([Types.STRING(), Types.STRING(), Types.STRING()])
ENRICHED = Types.ROW_NAMED(
    ["order_id", "customer", "country", "cents"], [Types.STRING(), Types.STRING(), Types.STRING(), Types.LONG()]
)
SCORED = Types.ROW_NAMED(
    ["order_id", "customer", "country", "cents", "risk"],
    [Types.STRING(), Types.STRING(), Types.STRING(), Types.LONG(), Types.LONG()],
)


class ParseOrder(ProcessFunction):
    """A line becomes an order; what cannot be read leaves by the side."""

    def process_element(self, value, ctx):
        try:
            order_id, customer_id, product, quantity, cents, placed = value.split(",")
            moment = int(datetime.fromisoformat(placed + "+00:00").timestamp() * 1000)
            yield order_id, customer_id, product, int(quantity), int(cents), moment
        except ValueError:
            yield REJECTED, value


class PlacedAt(TimestampAssigner):
    """Orders carry the moment they were placed."""

    def extract_timestamp(self, value, record_timestamp):
        return value.placed


class AddCustomer(KeyedCoProcessFunction):
    """Orders meet their customer; those that come first wait. Orders of unknown customers wait for good."""

    def open(self, runtime_context):
        self.customer = runtime_context.get_state(ValueStateDescriptor("customer", CUSTOMER))
        self.waiting = runtime_context.get_list_state(ListStateDescriptor("waiting", ORDER))

    def process_element1(self, order, ctx):
        customer = self.customer.value()
        if customer is None:
            self.waiting.add(order)
        else:
            yield enriched(order, customer)

    def process_element2(self, customer, ctx):
        self.customer.update(customer)
        for order in self.waiting.get():
            yield enriched(order, customer)
        self.waiting.clear()


def enriched(order, customer):
    _, name, country = customer
    return order.order_id, name, country, order.quantity * order.cents


class ScoreRisk(AsyncFunction):
    """Stands for a call of another service: the larger the order, the riskier."""

    async def async_invoke(self, value):
        return [(value.order_id, value.customer, value.country, value.cents, min(100, value.cents // 5000))]


def larger(one, other):
    return one if one.cents >= other.cents else other
