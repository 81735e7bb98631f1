"""Messages of a broker as records, and records as messages: by PyFlink's serialization schemas. Runs on workers.

A schema is a tuple that the driver makes of the script's object: ("string", charset), ("json", form, options) and
so on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spark_runner.executor.failures import RAISED
from spark_runner.executor.formats.avro_rows import avro_reader, avro_writer
from spark_runner.executor.formats.csv_rows import csv_reader, csv_writer
from spark_runner.executor.formats.json_rows import json_reader, json_writer
from spark_runner.executor.operators import Ending, Operator, Part, Shaped, method

__all__ = ["Message", "Received", "TextLine", "Topic"]

Schema = tuple[Any, ...]


def reader(schema: Schema) -> Callable[[bytes], Any]:
    """What makes a record of bytes; None is no record."""
    kind = schema[0]
    if kind == "string":
        charset = _charset(schema[1])
        return lambda message: bytes(message).decode(charset, errors="replace")
    if schema[0] == "line":  # of a text file; Flink 1.x takes one carriage return off its end
        charset = _charset(schema[1])
        return lambda message: bytes(message).removesuffix(b"\r").decode(charset, errors="replace")
    if kind == "bytes":
        return bytes
    if kind == "avro":
        return avro_reader(schema[1], schema[2])
    return (json_reader if kind == "json" else csv_reader)(schema[1], schema[2])


def writer(schema: Schema) -> Callable[[Any], bytes]:
    """What makes bytes of a record."""
    kind = schema[0]
    if kind == "string":
        charset = _charset(schema[1])
        return lambda record: _text(record).encode(charset, errors="replace")
    if kind == "bytes":
        return bytes
    if kind == "field":
        return lambda record: bytes(record[schema[1]])
    if kind == "avro":
        return avro_writer(schema[1])
    return (json_writer if kind == "json" else csv_writer)(schema[1], schema[2])


def _charset(name: str) -> str:
    """Java's name of a charset as Python's."""
    return {"US-ASCII": "ascii", "UTF-16": "utf-16-be"}.get(name.upper()) or name


def _text(record: Any) -> str:
    if not isinstance(record, str):
        raise TypeError(f"SimpleStringSchema writes strings, and this is a {type(record).__name__}")
    return record


class Received(Operator):
    """A message of Kafka: its record, with the message's time in Kafka as event time."""

    def open(self) -> None:
        super().open()
        self.read = reader(self.spec.options["schema"])

    def take(self, part: Part) -> None:
        value: Any = None
        try:
            for value, _, place in part.rows():
                message, seconds = value
                record = None if message is None else self.read(message)
                if record is not None:
                    self.add(record, None if seconds is None else round(seconds * 1000), place)
        except RAISED as error:
            raise self.failed(error, value) from None


class TextLine(Shaped):
    """A line of text in its charset."""

    def open(self) -> None:
        super().open()
        self.read = reader(self.spec.options["schema"])

    def shape(self, value: Any) -> Any:
        return self.read(value)


class Topic(Shaped):
    """Puts a record's topic in front of it."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "apply")

    def shape(self, value: Any) -> Any:
        return self.spec.options["row"](self.call(value), value)


class Message(Ending):
    """A record as Kafka takes it: topic, key and value."""

    def open(self) -> None:
        super().open()
        options = self.spec.options
        self.key = None if options["key"] is None else writer(options["key"])
        self.body, self.topic = writer(options["value"]), options["topic"]

    def shape(self, value: Any) -> Any:
        topic, record = (self.topic, value) if self.topic is not None else value
        return topic, None if self.key is None else self.key(record), self.body(record)
