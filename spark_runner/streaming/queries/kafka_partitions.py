"""The partitions that a Kafka source reads, known before its query starts: the broker is asked.

One without records then holds back event time from the first batch on, as in Flink.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pyspark.sql import SparkSession

from planner.job import Reader
from spark_runner.executor.positions import split_of
from spark_runner.program.chunks import ChunkSource

__all__ = ["known_splits"]

_PATIENCE = 10  # seconds
_CLIENT = "kafka."  # begins the options that are for Kafka's own client


def known_splits(spark: SparkSession, source: ChunkSource) -> tuple[int, ...]:
    """The splits of a Kafka source; none where they cannot be found: each then counts from its first batch on.

    A bounded source has none either. In Flink a partition that is at its end holds nobody back.
    """
    reader = source.operator.behaviour
    assert isinstance(reader, Reader)
    if source.bounded:
        return ()
    options = {name.lower(): str(value) for name, value in dict(reader.options).items()}
    try:
        found = _assigned(options) if "assign" in options else _asked(spark, options)
    except Exception:  # a broker that does not answer fails the query itself, which then says why
        return ()
    return tuple(sorted(split_of(topic, partition) for topic, partition in found))


def _assigned(options: Mapping[str, str]) -> list[tuple[str, int]]:
    return [(topic, int(one)) for topic, found in json.loads(options["assign"]).items() for one in found]


def _asked(spark: SparkSession, options: Mapping[str, str]) -> list[tuple[str, int]]:
    """What Kafka's admin client says, which comes with Spark's connector."""
    jvm: Any = spark._jvm  # over Connect there is none, which raises
    settings = jvm.java.util.Properties()
    for name, value in options.items():
        if name.startswith(_CLIENT):
            settings.setProperty(name.removeprefix(_CLIENT), value)
    client = jvm.org.apache.kafka.clients.admin.AdminClient.create(settings)
    try:
        topics = jvm.java.util.ArrayList()
        for topic in _topics(jvm, client, options):
            topics.add(topic)
        described = _answer(jvm, client.describeTopics(topics).allTopicNames())
        return [(topic, one.partition()) for topic in topics for one in described[topic].partitions()]
    finally:
        client.close(jvm.java.time.Duration.ZERO)


def _topics(jvm: Any, client: Any, options: Mapping[str, str]) -> Iterator[str]:
    if "subscribe" in options:
        yield from filter(None, map(str.strip, options["subscribe"].split(",")))
        return
    pattern = jvm.java.util.regex.Pattern.compile(options["subscribepattern"])
    for topic in _answer(jvm, client.listTopics().names()):
        if pattern.matcher(topic).matches():
            yield topic


def _answer(jvm: Any, future: Any) -> Any:
    return future.get(_PATIENCE, jvm.java.util.concurrent.TimeUnit.SECONDS)
