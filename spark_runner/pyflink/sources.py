"""Sources of PyFlink jobs: which of them run on Spark, and as which of its readers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from planner.frontends.pyflink.recorded import Call, Recorded
from planner.job import Collection, Operator, PythonRun, Reader, Sequence
from spark_runner.pyflink.forms import as_rows
from spark_runner.pyflink.kafka import kafka_reader
from spark_runner.pyflink.parts import refused
from spark_runner.pyflink.schemas import reading_schema

__all__ = ["ReadEnd", "read_end"]

KAFKA_COLUMNS = "value BINARY, timestamp DOUBLE"  # seconds, with their fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEnd:
    """What stands at a source: records of the job itself, or a reader of Spark; and what makes records of them."""

    records: Any = None
    reader: Reader | None = None
    paths: tuple[str, ...] = ()
    columns: str = ""
    role: str = "pass"
    options: dict[str, Any] = field(default_factory=dict)


def read_end(operator: Operator, *, streaming: bool) -> ReadEnd:
    """What a source is on Spark. Raises UnsupportedOnSpark where it is nothing."""
    behaviour = operator.behaviour
    if isinstance(behaviour, Collection):
        kind = (operator.run or PythonRun()).record_type
        return ReadEnd(records=[as_rows(kind, one) for one in behaviour.records])
    if isinstance(behaviour, Sequence):
        return ReadEnd(records=range(behaviour.start, behaviour.end + 1))
    connector = (operator.run or PythonRun()).connector
    if type(connector).__name__ == "FileSource" and connector._calls:
        return _files(operator, connector, streaming)
    if type(connector).__name__ == "KafkaSource":
        return _kafka(operator, connector, streaming)
    raise refused(
        operator, "is a source that Spark does not read for a PyFlink job",
        "from_collection, NumberSequenceSource, FileSource and KafkaSource run",
    )  # fmt: skip


# --- files ------------------------------------------------------------------------------------------------------------


def _files(operator: Operator, connector: Recorded, streaming: bool) -> ReadEnd:
    made = connector._calls[0]
    format_ = made.first()
    calls = list(format_._calls) if isinstance(format_, Recorded) else []
    text = next((call for call in calls if call.name == "StreamFormat.text_line_format"), None)
    if text is None:
        raise refused(
            operator, "reads files in a format that does not run on Spark", "StreamFormat.text_line_format() does"
        )
    paths = _paths(made)
    if streaming and len(paths) != 1:
        raise refused(operator, "watches several folders", "give every folder a FileSource of its own, and union them")
    charset = str(text.first() or "UTF-8")
    options = {} if charset.upper().replace("-", "") == "UTF8" else {"encoding": charset}
    return ReadEnd(reader=_reader("text", paths, **options), paths=paths, columns="value STRING")


def _paths(made: Call) -> tuple[str, ...]:
    given = dict(made.arguments).get("paths", ())
    return tuple(str(path) for path in (given if isinstance(given, tuple | list) else (given,)))


def _reader(format_: str, paths: tuple[str, ...], **options: str) -> Reader:
    return Reader(format=format_, path=paths[0] if paths else None, options=tuple(sorted(options.items())))


# --- Kafka ------------------------------------------------------------------------------------------------------------


def _kafka(operator: Operator, connector: Recorded, streaming: bool) -> ReadEnd:
    reader = kafka_reader(operator, connector, streaming=streaming)
    schema = connector.last("set_value_only_deserializer")
    return ReadEnd(
        reader=reader,
        columns=KAFKA_COLUMNS,
        role="received",
        options={"schema": reading_schema(operator, schema.first() if schema is not None else None)},
    )
