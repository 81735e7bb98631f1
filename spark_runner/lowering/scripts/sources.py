"""Sources of PyFlink jobs: which of them run on Spark, and as which of its readers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planner.frontends.python.calls import TextFile
from planner.frontends.python.declared.connectors import FlinkKafkaConsumer, KafkaSource
from planner.frontends.python.declared.files import AvroInputFormat, FileSource
from planner.frontends.python.recorded import Call, Recorded
from planner.frontends.python.table_definitions import Definition
from planner.job import Collection, Operator, PythonFunction, PythonRun, Reader, Sequence
from spark_runner.lowering.scripts.file_formats import CsvColumns, csv_columns, row_columns
from spark_runner.lowering.scripts.forms import collected
from spark_runner.lowering.scripts.kafka import consumer_reader, kafka_reader
from spark_runner.lowering.scripts.parts import refused
from spark_runner.lowering.scripts.schemas import reading_schema
from spark_runner.lowering.scripts.tables import table_source
from spark_runner.program.job_paths import resolved_path

__all__ = ["ReadEnd", "read_end"]

_PACKED = frozenset({".xz", ".zst", ".snappy", ".lz4"})
KAFKA_COLUMNS = "value BINARY, timestamp DOUBLE"  # seconds, with their fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEnd:
    """What stands at a source: records of the job itself, or a reader of Spark; and what makes records of them."""

    records: Any = None
    numbers: Collection | Sequence | None = None  # what the records are made of, where the operator does not say
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
        return ReadEnd(records=collected(kind, behaviour.records))
    if isinstance(behaviour, Sequence):
        return ReadEnd(records=range(behaviour.start, behaviour.end + 1))
    connector = (operator.run or PythonRun()).connector
    format_ = behaviour.target if isinstance(behaviour, PythonFunction) else None
    if isinstance(format_, AvroInputFormat):
        return _avro(operator, format_, streaming)
    if isinstance(format_, TextFile):
        return _text_file(operator, format_, streaming)
    if isinstance(format_, Definition):
        return _table(operator, format_)
    if isinstance(connector, FileSource) and connector._calls:
        return _files(operator, connector, streaming)
    if isinstance(connector, KafkaSource):
        return _kafka(operator, connector, streaming)
    if isinstance(connector, FlinkKafkaConsumer):
        return _kafka_consumer(operator, connector)
    raise refused(
        operator, "is a source that Spark does not read for a PyFlink job",
        "from_collection, NumberSequenceSource, FileSource, KafkaSource, FlinkKafkaConsumer, read_text_file, "
        "AvroInputFormat and tables of datagen and from_elements run",
    )  # fmt: skip


def _table(operator: Operator, definition: Definition) -> ReadEnd:
    """The source of a table that is read whole."""
    found, options = table_source(operator, definition)
    if isinstance(found, Reader):
        return ReadEnd(reader=found, columns="value BIGINT", role="generated", options=options)
    if isinstance(found, Sequence):
        numbers = range(found.start, found.end + 1)
        return ReadEnd(records=numbers, numbers=found, role="generated", options=options)
    return ReadEnd(records=found, numbers=Collection(records=tuple(found)))


# --- files ------------------------------------------------------------------------------------------------------------


def _files(operator: Operator, connector: Recorded, streaming: bool) -> ReadEnd:
    made = connector._calls[0]
    format_ = made.first()
    calls = list(format_._calls) if isinstance(format_, Recorded) else []
    text = next((call for call in calls if call.name == "StreamFormat.text_line_format"), None)
    paths = _paths(made)
    if streaming and len(paths) != 1:
        raise refused(operator, "watches several folders", "give every folder a FileSource of its own, and union them")
    if text is None:
        return _columns(operator, calls, paths)
    _check_packed(operator, paths, folders=True)
    charset = str(text.first() or "UTF-8")
    if charset.upper().replace("-", "") == "UTF8":
        return ReadEnd(reader=_reader("text", paths), paths=paths, columns="value STRING")
    if streaming or charset.upper().startswith(("UTF-16", "UTF-32")):
        raise refused(operator, f"reads text in {charset}", "Spark reads lines of UTF-8 here: convert the files first")
    return ReadEnd(
        reader=_reader("text", paths), paths=paths, columns="value BINARY", role="text_line",
        options={"schema": ("string", charset)},
    )  # fmt: skip


def _text_file(operator: Operator, file: TextFile, streaming: bool) -> ReadEnd:
    """`read_text_file` of Flink 1.x: the files of one folder or one file, whose lines end with a line feed."""
    if streaming:
        raise refused(operator, "reads text files once, which is not done in a stream", "leave --mode streaming out")
    if file.charset.upper().startswith(("UTF-16", "UTF-32")):
        raise refused(operator, f"reads text in {file.charset}", "convert the files to UTF-8 first")
    place = _place(operator, file.path)
    if place.name.startswith(("_", ".")) and not place.is_dir():
        raise refused(operator, f"reads {place.name}, and Spark passes over files with such a name", "rename the file")
    _check_packed(operator, (file.path,), folders=False)
    return ReadEnd(
        reader=_reader("text", (file.path,), lineSep="\n", recursiveFileLookup="false"),
        paths=(file.path,),
        columns="value BINARY",
        role="text_line",
        options={"schema": ("line", file.charset)},
    )


def _place(operator: Operator, path: str) -> Path:
    """A path as it is on this machine, if it is there at all."""
    return Path(resolved_path(path, operator.location.file).removeprefix("file://"))


def _check_packed(operator: Operator, paths: tuple[str, ...], *, folders: bool) -> None:
    """Refuse files that Spark would read as if they were not packed."""
    for place in (_place(operator, path) for path in paths):
        inside = place.rglob("*") if folders else place.iterdir() if place.is_dir() else ()
        packed = next((file for file in (place, *inside) if file.suffix in _PACKED and file.is_file()), None)
        if packed is not None:
            raise refused(
                operator, f"reads {packed.name}, and files that end in {packed.suffix} are not unpacked on Spark",
                "unpack it first; .gz, .bz2 and .deflate are unpacked",
            )  # fmt: skip


def _columns(operator: Operator, calls: list[Call], paths: tuple[str, ...]) -> ReadEnd:
    """Files of CSV and Parquet, whose records are rows."""
    for call in calls:
        given = dict(call.arguments)
        if call.name == "CsvReaderFormat.for_schema":
            return _csv(csv_columns(operator, given["schema"]), paths)
        if call.name == "ParquetColumnarRowInputFormat":
            columns, form = row_columns(operator, given["row_type"])
            return ReadEnd(
                reader=_reader("parquet", paths), paths=paths, columns=columns, role="row", options={"row": form}
            )
    raise refused(
        operator, "reads files in a format that does not run on Spark", "text lines, CSV and Parquet of a row type do"
    )


def _csv(found: CsvColumns, paths: tuple[str, ...]) -> ReadEnd:
    """Spark takes the lines apart, and every field is converted as Flink converts it."""
    form, options, header = found
    quote = options.get("quote", '"')
    spark = {
        "sep": options.get("delimiter", ","), "quote": quote or "\0", "escape": options.get("escape") or quote or "\0",
        "header": str(header).lower(), "nullValue": "\1\1", "emptyValue": "", "mode": "FAILFAST",
        "enforceSchema": "true",
    }  # fmt: skip
    names = [f"`{name}` STRING" for name in form[2]]
    return ReadEnd(
        reader=_reader("csv", paths, **spark), paths=paths, columns=", ".join(names), role="csv_fields",
        options={"row": form, "csv": options},
    )  # fmt: skip


def _avro(operator: Operator, format_: Any, streaming: bool) -> ReadEnd:
    """Whole files, which workers take apart: Spark brings no reader of Avro with it."""
    if streaming:
        raise refused(operator, "reads files of Avro, which is not done in a stream", "leave --mode streaming out")
    path = str(dict(format_._calls[0].arguments)["path"])
    return ReadEnd(reader=_reader("binaryFile", (path,)), paths=(path,), columns="content BINARY", role="avro_file")


def _paths(made: Call) -> tuple[str, ...]:
    given = dict(made.arguments).get("paths", ())
    return tuple(str(path) for path in (given if isinstance(given, tuple | list) else (given,)))


def _reader(format_: str, paths: tuple[str, ...], **options: str) -> Reader:
    nested = {"recursiveFileLookup": "true", **options}  # a FileSource looks into folders
    return Reader(format=format_, path=paths[0] if paths else None, options=tuple(sorted(nested.items())))


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


def _kafka_consumer(operator: Operator, consumer: Recorded) -> ReadEnd:
    """The source of Flink 1.x's old connector, as the reader of KafkaSource."""
    schema = dict(consumer._calls[0].arguments)["deserialization_schema"]
    return ReadEnd(
        reader=consumer_reader(operator, consumer),
        columns=KAFKA_COLUMNS,
        role="received",
        options={"schema": reading_schema(operator, schema)},
    )
