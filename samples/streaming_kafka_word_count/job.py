"""Counts words that come from Kafka, and goes on until it is stopped."""

import os

from planner import KafkaOffsetsInitializer, KafkaSource, StreamExecutionEnvironment, Types, WatermarkStrategy

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
source = (
    KafkaSource.builder()
    .set_bootstrap_servers(os.environ.get("KAFKA", "127.0.0.1:9092"))
    .set_topics("lines")
    .set_starting_offsets(KafkaOffsetsInitializer.earliest())
    .build()
)
lines = env.from_source(
    source, WatermarkStrategy.no_watermarks(), "lines", Types.ROW_NAMED(["value"], [Types.STRING()])
)
(
    lines.flat_map(lambda line: [(word, 1) for word in line.split()], output_type=PAIR)
    .key_by(lambda pair: pair[0], key_type=Types.STRING())
    .sum(1)
    .uid("counts")
    .print()
)
env.execute("kafka word count")
