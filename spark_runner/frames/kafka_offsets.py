"""What a broker says before a query starts: the partitions of a Kafka source, and the offsets that a group committed.

A partition without records then holds back event time from the first batch on, as in Flink; and a source that begins
where its group stands begins there, which Spark does not do by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

from planner.errors import ExecutionError
from planner.job import Operator, Reader
from spark_runner.executor.positions import split_of
from spark_runner.program.chunks import COMMITTED_BY, ChunkSource

__all__ = ["at_committed_offsets", "known_splits"]

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
    options = _plain(dict(reader.options))
    try:
        found = _assigned(options) if "assign" in options else _asked(spark, options)
    except Exception:  # a broker that does not answer fails the query itself, which then says why
        return ()
    return tuple(sorted(split_of(topic, partition) for topic, partition in found))


def at_committed_offsets(spark: SparkSession, operator: Operator, options: Mapping[str, str]) -> dict[str, str]:
    """The options of a reader; one that begins where its group stands gets the offsets that the group committed.

    A partition without any begins as `startingOffsets` says, which is Kafka's `auto.offset.reset`.
    """
    group = options.get(COMMITTED_BY)
    kept = {name: value for name, value in options.items() if name != COMMITTED_BY}
    if group is None:
        return kept
    reset = kept["startingOffsets"]
    try:
        begun = _committed(spark, group, reset, _plain(kept))
    except Exception as error:
        raise _no_offsets(operator, f"they could not be asked for: {_cause(error)}") from error
    missing = [f"{topic}-{at}" for (topic, at), offset in begun.items() if offset is None]
    if missing:
        raise _no_offsets(operator, f"the group committed none for {', '.join(missing[:5])}, and Flink fails there")
    found: dict[str, dict[str, int]] = {}
    for (topic, at), offset in begun.items():
        found.setdefault(topic, {})[str(at)] = int(offset or 0)
    return {**kept, "startingOffsets": json.dumps(found)}


def _cause(error: Exception) -> str:
    """What the innermost exception of the JVM says."""
    cause: Any = getattr(error, "java_exception", None)
    while cause is not None and cause.getCause() is not None:
        cause = cause.getCause()
    said = str(error if cause is None else cause.getMessage() or cause.toString()).splitlines()
    return said[0] if said else type(error).__name__


def _no_offsets(operator: Operator, why: str) -> ExecutionError:
    return ExecutionError(
        f"operator {operator.key!r} begins at the offsets that its consumer group committed: {why}",
        operator=operator.key,
        location=operator.location,
        hint="is the broker up? Or begin elsewhere: at the earliest or the latest offsets",
    )


def _committed(
    spark: SparkSession, group: str, reset: str, options: Mapping[str, str]
) -> dict[tuple[str, int], int | None]:
    """Where to begin in every partition; None where neither the group nor `reset` says."""
    with _client(spark, options) as (jvm, client):
        partitions = _assigned(options) if "assign" in options else _partitions(jvm, client, options)
        stored = _answer(jvm, client.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
        places = {one: jvm.org.apache.kafka.common.TopicPartition(*one) for one in partitions}
        found = {one: stored.get(place) for one, place in places.items()}
        open_ = [one for one, offset in found.items() if offset is None] if reset != "none" else []
        ends = _ends(jvm, client, [places[one] for one in open_], reset) if open_ else {}
        return {
            one: offset.offset() if offset is not None else ends[places[one]].offset() if one in open_ else None
            for one, offset in found.items()
        }


def _ends(jvm: Any, client: Any, places: list[Any], reset: str) -> Any:
    wanted = jvm.java.util.HashMap()
    for place in places:
        wanted.put(place, getattr(jvm.org.apache.kafka.clients.admin.OffsetSpec, reset)())
    return _answer(jvm, client.listOffsets(wanted).all())


def _plain(options: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in options.items()}


def _assigned(options: Mapping[str, str]) -> list[tuple[str, int]]:
    return [(topic, int(one)) for topic, found in json.loads(options["assign"]).items() for one in found]


@contextmanager
def _client(spark: SparkSession, options: Mapping[str, str]) -> Iterator[tuple[Any, Any]]:
    """Kafka's admin client, which comes with Spark's connector."""
    jvm: Any = spark._jvm  # over Connect there is none, which raises
    settings = jvm.java.util.Properties()
    for name, value in options.items():
        if name.startswith(_CLIENT):
            settings.setProperty(name.removeprefix(_CLIENT), value)
    client = jvm.org.apache.kafka.clients.admin.AdminClient.create(settings)
    try:
        yield jvm, client
    finally:
        client.close(jvm.java.time.Duration.ZERO)


def _asked(spark: SparkSession, options: Mapping[str, str]) -> list[tuple[str, int]]:
    with _client(spark, options) as (jvm, client):
        return _partitions(jvm, client, options)


def _partitions(jvm: Any, client: Any, options: Mapping[str, str]) -> list[tuple[str, int]]:
    topics = jvm.java.util.ArrayList()
    for topic in _topics(jvm, client, options):
        topics.add(topic)
    described = _answer(jvm, client.describeTopics(topics).allTopicNames())
    return [(topic, one.partition()) for topic in topics for one in described[topic].partitions()]


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
