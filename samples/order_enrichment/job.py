"""Orders with their customers: cleaned, enriched, scored, and summed up by country."""

from enrichment import CUSTOMER, ENRICHED, ORDER, REJECTED, SCORED, AddCustomer, ParseOrder, PlacedAt, ScoreRisk, larger

from planner import (
    Duration,
    RestartStrategies,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
    WriterSink,
)

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
env.set_max_parallelism(128)
env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 5000))

lines = env.read_text_file("orders.csv").name("order lines").uid("order-lines")
orders = lines.process(ParseOrder(), output_type=ORDER).name("parse").uid("parse")
orders.get_side_output(REJECTED).map(lambda line: f"rejected: {line}", output_type=Types.STRING()).print()

in_time = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(10)).with_timestamp_assigner(PlacedAt())
stamped = orders.filter("quantity > 0").name("real orders").assign_timestamps_and_watermarks(in_time)

customers = (
    env.read_text_file("customers.csv")
    .name("customer lines")
    .set_parallelism(1)  # a handful of lines
    .map(lambda line: tuple(line.split(",")), output_type=CUSTOMER)
    .name("customers")
)

known = (
    stamped.connect(customers)
    .key_by(lambda order: order.customer_id, lambda customer: customer[0], key_type=Types.STRING())
    .process(AddCustomer(), output_type=ENRICHED)
    .name("add customer")
    .uid("add-customer")
    .slot_sharing_group("state")
)

scored = known.async_map(ScoreRisk(), output_type=SCORED).name("score").slot_sharing_group("default")
risky = scored.filter("risk >= 50").name("risky")
risky.rebalance().sink_to(WriterSink("json", "output/alerts", mode="overwrite")).name("alerts")

(
    scored.key_by("country")
    .window(TumblingEventTimeWindows.of(Time.hours(1)))
    .reduce(larger)
    .name("largest order an hour")
    .uid("largest")
    .map({"country": "country", "order_id": "order_id", "amount": "cents / 100"})
    .print()
)
env.execute("order enrichment")
