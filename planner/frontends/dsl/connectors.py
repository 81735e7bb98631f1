"""The builders of PyFlink's usual sources, as new-style sources read by Spark."""

from __future__ import annotations

from typing import Any

from planner.frontends.dsl.environment import ReaderSource

__all__ = ["FileSource", "KafkaOffsetsInitializer", "KafkaSource", "SimpleStringSchema", "StreamFormat"]


class SimpleStringSchema:
    """Records are text."""


class StreamFormat:
    """How a file is cut into records."""

    @staticmethod
    def text_line_format(charset_name: str = "UTF-8") -> str:
        """One record per line; only the encoding can be chosen."""
        return charset_name


class FileSource:
    """`FileSource.for_record_stream_format(StreamFormat.text_line_format(), path).build()`."""

    def __init__(self, charset: str, path: str) -> None:
        self._charset = charset
        self._path = path

    @staticmethod
    def for_record_stream_format(stream_format: str, *paths: str) -> FileSource:
        """The lines of text files; several paths are one comma-separated list."""
        return FileSource(stream_format, ",".join(paths))

    def build(self) -> ReaderSource:
        """The source."""
        options = {} if self._charset.upper() == "UTF-8" else {"encoding": self._charset}
        return ReaderSource("text", self._path, options)


class KafkaOffsetsInitializer:
    """Where reading begins."""

    @staticmethod
    def earliest() -> str:
        """At the first record kept."""
        return "earliest"

    @staticmethod
    def latest() -> str:
        """At the next record to come."""
        return "latest"


class KafkaSource:
    """`KafkaSource.builder()...build()`: unbounded unless `set_bounded` is called."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}
        self._bounded = False

    @staticmethod
    def builder() -> KafkaSource:
        """A source without settings yet."""
        return KafkaSource()

    def _with(self, key: str, value: Any) -> KafkaSource:
        self._options[key] = value
        return self

    def set_bootstrap_servers(self, bootstrap_servers: str) -> KafkaSource:
        """The brokers to ask first."""
        return self._with("kafka.bootstrap.servers", bootstrap_servers)

    def set_topics(self, *topics: str) -> KafkaSource:
        """What to read."""
        return self._with("subscribe", ",".join(topics))

    def set_topic_pattern(self, topic_pattern: str) -> KafkaSource:
        """What to read, by a regular expression."""
        return self._with("subscribePattern", topic_pattern)

    def set_group_id(self, group_id: str) -> KafkaSource:
        """The consumer group."""
        return self._with("kafka.group.id", group_id)

    def set_starting_offsets(self, starting_offsets: str) -> KafkaSource:
        """Where to begin."""
        return self._with("startingOffsets", starting_offsets)

    def set_bounded(self, stopping_offsets: str) -> KafkaSource:
        """Stop there: the source ends."""
        self._bounded = True
        return self._with("endingOffsets", stopping_offsets)

    def set_property(self, key: str, value: str) -> KafkaSource:
        """One property of the Kafka client."""
        return self._with(f"kafka.{key}", value)

    def set_value_only_deserializer(self, deserialization_schema: Any) -> KafkaSource:
        """Accepted: the value is read as it is declared."""
        return self

    def build(self) -> ReaderSource:
        """The source."""
        return ReaderSource("kafka", None, self._options, bounded=self._bounded)
