"""Sends lines to the topic `lines`: python generate.py [BROKER]. Needs confluent-kafka."""

from __future__ import annotations

import random
import sys
import time

WORDS = ["flink", "spark", "stream", "batch", "state", "window", "key", "record"]


def main(broker: str) -> None:
    """A line every tenth of a second, until Ctrl-C."""
    from confluent_kafka import Producer

    producer, chosen = Producer({"bootstrap.servers": broker}), random.Random()
    while True:
        producer.produce("lines", " ".join(chosen.choices(WORDS, k=5)))
        producer.poll(0)
        time.sleep(0.1)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9092")
