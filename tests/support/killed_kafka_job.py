"""A job that is killed in tests: words from Kafka to running counts in files and back to Kafka."""

from __future__ import annotations

import os
from pathlib import Path

from planner import (
    ReaderSource,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
    WriterSink,
)

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
MESSAGE = Types.ROW_NAMED(["key", "value"], [Types.STRING(), Types.STRING()])

if folder := os.environ.get("KILLED_JOB_FOLDER"):
    address = os.environ["KILLED_JOB_KAFKA"]
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    reading = {"kafka.bootstrap.servers": address, "subscribe": "lines"}
    source = ReaderSource("kafka", options={**reading, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 400})
    line = Types.ROW_NAMED(["value"], [Types.STRING()])
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines", line)
    words = lines.flat_map(lambda text: [(word, 1) for word in text.split()], output_type=PAIR)
    counts = words.key_by(lambda pair: pair[0], key_type=Types.STRING()).sum(1).uid("counts")
    counts.sink_to(WriterSink("parquet", str(Path(folder) / "counts")))
    sent = counts.map(lambda pair: (pair[0], f"{pair[0]} {pair[1]}"), output_type=MESSAGE)
    sent.sink_to(WriterSink("kafka", options={"kafka.bootstrap.servers": address, "topic": "counts"}))
    env.execute("killed with Kafka")
