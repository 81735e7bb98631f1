"""KafkaSource and KafkaSink as options of Spark's Kafka connector."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from planner.frontends.python.recorded import Call, Recorded
from planner.job import Operator, Reader, Writer
from spark_runner.lowering.scripts.parts import refused
from spark_runner.program.chunks import COMMITTED_BY

__all__ = ["consumer_reader", "kafka_reader", "kafka_writer", "producer_writer"]

# Spark sets these itself, or Flink alone knows them
_OWN = frozenset({
    "group.id", "client.id", "client.id.prefix", "key.deserializer", "value.deserializer", "key.serializer",
    "value.serializer", "enable.auto.commit", "auto.commit.interval.ms", "auto.offset.reset", "bootstrap.servers",
    "partition.discovery.interval.ms", "register.consumer.metrics", "commit.offsets.on.checkpoint",
    "interceptor.classes", "transaction.timeout.ms", "transactional.id",
})  # fmt: skip


def kafka_reader(operator: Operator, source: Recorded, *, streaming: bool) -> Reader:
    """The reader of a KafkaSource."""
    options = {
        **_common(operator, source, "set_group_id"),
        **_topics(operator, source),
        **_start(operator, source),
    }
    bound = source.last("set_bounded")
    if bound is not None:
        options |= _end(operator, bound, streaming=streaming)
    if source.last("set_unbounded") is not None:
        raise refused(
            operator, "stops at offsets while Flink takes it for a stream (set_unbounded)", "use set_bounded instead"
        )
    return Reader(format="kafka", path=None, options=tuple(sorted(options.items())))


def kafka_writer(operator: Operator, sink: Recorded) -> Writer:
    """The writer of a KafkaSink; records bring their topics."""
    return Writer(format="kafka", path=None, options=tuple(sorted(_common(operator, sink).items())))


def consumer_reader(operator: Operator, consumer: Recorded) -> Reader:
    """The reader of a FlinkKafkaConsumer of Flink 1.x. It never ends.

    By itself it begins at the offsets that its group committed, else where `auto.offset.reset` says (latest).
    """
    given = dict(consumer._calls[0].arguments)
    properties = {str(name): str(value) for name, value in dict(given["properties"]).items()}
    topics = given["topics"]
    options = {
        **_of_properties(operator, properties),
        "subscribe": ",".join(map(str, topics if isinstance(topics, tuple | list) else (topics,))),
        **_consumer_start(operator, consumer, properties),
    }
    return Reader(format="kafka", path=None, options=tuple(sorted(options.items())))


def producer_writer(operator: Operator, producer: Recorded) -> Writer:
    """The writer of a FlinkKafkaProducer of Flink 1.x."""
    given = dict(dict(producer._calls[0].arguments)["producer_config"])
    options = _of_properties(operator, {str(name): str(value) for name, value in given.items()})
    return Writer(format="kafka", path=None, options=tuple(sorted(options.items())))


def _of_properties(operator: Operator, properties: dict[str, str]) -> dict[str, str]:
    if not properties.get("bootstrap.servers"):
        raise refused(operator, "names no Kafka broker", "set bootstrap.servers in its properties")
    kept = {f"kafka.{name}": value for name, value in properties.items() if name not in _OWN}
    return {"kafka.bootstrap.servers": properties["bootstrap.servers"], **kept}


def _consumer_start(operator: Operator, consumer: Recorded, properties: dict[str, str]) -> dict[str, str]:
    """The last call of set_start_from_* counts."""
    calls = [call for call in consumer._calls if call.name.startswith("set_start_from_")]
    kind = calls[-1].name.removeprefix("set_start_from_") if calls else "group_offsets"
    if kind in ("earliest", "latest"):
        return {"startingOffsets": kind}
    if kind == "timestamp":
        return {"startingTimestamp": str(calls[-1].first()), "startingOffsetsByTimestampStrategy": "latest"}
    return _at_group(operator, properties.get("group.id"), properties.get("auto.offset.reset", "latest").lower())


def _at_group(operator: Operator, group: str | None, reset: str) -> dict[str, str]:
    """Where a consumer group stands; `reset` is for partitions of which it committed nothing."""
    if reset not in ("earliest", "latest", "none"):
        raise refused(operator, f"has auto.offset.reset={reset}", "give earliest, latest or none")
    if not group and reset != "none":  # nobody committed anything
        return {"startingOffsets": reset}
    return {COMMITTED_BY: group or "", "startingOffsets": reset}


def _common(operator: Operator, connector: Recorded, *_: str) -> dict[str, str]:
    given = dict(_properties(connector))
    servers = connector.last("set_bootstrap_servers")
    where = servers.first() if servers is not None else given.get("bootstrap.servers")
    if not where:
        raise refused(operator, "names no Kafka broker", "call set_bootstrap_servers on its builder")
    kept = {f"kafka.{name}": value for name, value in given.items() if name not in _OWN}
    return {"kafka.bootstrap.servers": str(where), **kept}


def _properties(connector: Recorded) -> Iterator[tuple[str, str]]:
    for call in connector._calls:
        if call.name == "set_property":
            (_, name), (_, value) = call.arguments
            yield str(name), str(value)
        elif call.name == "set_properties":
            yield from ((str(name), str(value)) for name, value in dict(call.first()).items())


def _topics(operator: Operator, source: Recorded) -> dict[str, str]:
    for call in reversed(source._calls):
        if call.name == "set_topics":
            topics = call.first()
            return {"subscribe": ",".join(map(str, topics if isinstance(topics, tuple | list) else (topics,)))}
        if call.name == "set_topic_pattern":
            return {"subscribePattern": str(call.first())}
        if call.name == "set_partitions":
            return {"assign": json.dumps(_by_topic(dict.fromkeys(call.first(), 0), listed=True))}
    raise refused(operator, "names no Kafka topic", "call set_topics on its builder")


def _start(operator: Operator, source: Recorded) -> dict[str, str]:
    kind, given = _offsets(source.last("set_starting_offsets"))
    if kind in ("earliest", "latest"):
        return {"startingOffsets": kind}
    if kind == "timestamp":
        # a partition without a record that late is read from its end, as in Flink
        return {"startingTimestamp": str(given["timestamp"]), "startingOffsetsByTimestampStrategy": "latest"}
    if kind == "offsets":
        return {"startingOffsets": json.dumps(_by_topic(given["offsets"]))}
    called = source.last("set_group_id")
    group = called.first() if called is not None else dict(_properties(source)).get("group.id")
    return _at_group(operator, group, getattr(given.get("offset_reset_strategy"), "name", "NONE").lower())


def _end(operator: Operator, call: Call, *, streaming: bool) -> dict[str, str]:
    kind, given = _offsets(call)
    if kind == "latest":
        return {} if streaming else {"endingOffsets": "latest"}
    if streaming:
        raise refused(
            operator, "ends at offsets of its own, which only a batch does on Spark",
            "leave --mode streaming out, or use KafkaOffsetsInitializer.latest()",
        )  # fmt: skip
    if kind == "timestamp":
        return {"endingTimestamp": str(given["timestamp"])}
    if kind == "offsets":
        return {"endingOffsets": json.dumps(_by_topic(given["offsets"]))}
    if kind == "earliest":
        raise refused(operator, "ends where Kafka's topics begin: it reads nothing", "end it at latest()")
    raise refused(
        operator, "ends at the offsets that a consumer group committed, which does not run on Spark",
        "end it at latest(), timestamp(...) or offsets(...)",
    )  # fmt: skip


def _offsets(call: Call | None) -> tuple[str, dict[str, Any]]:
    """Which initializer it is, and its arguments. KafkaSource begins with the earliest offsets by itself."""
    initializer = call.first() if call is not None else None
    if not isinstance(initializer, Recorded) or not initializer._calls:
        return "earliest", {}
    made = initializer._calls[0]
    return made.name.rpartition(".")[2], dict(made.arguments)


def _by_topic(offsets: Any, *, listed: bool = False) -> dict[str, Any]:
    found: dict[str, dict[str, int]] = {}
    for partition, offset in dict(offsets).items():
        place = dict(partition._calls[0].arguments)
        found.setdefault(str(place["topic"]), {})[str(place["partition"])] = int(offset)
    return {topic: sorted(map(int, one)) for topic, one in found.items()} if listed else found
