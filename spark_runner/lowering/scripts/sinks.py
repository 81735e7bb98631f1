"""Sinks of PyFlink jobs: which of them run on Spark, and as which of its writers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from planner.frontends.python.declared.connectors import FlinkKafkaProducer, KafkaSink
from planner.frontends.python.declared.files import FileSink, GenericRecordAvroTypeInfo, StreamingFileSink
from planner.frontends.python.recorded import Recorded
from planner.job import FileNames, Operator, PythonRun, Writer
from spark_runner.lowering.scripts.file_formats import csv_columns, row_columns
from spark_runner.lowering.scripts.file_names import file_names
from spark_runner.lowering.scripts.forms import form_of, is_pickled
from spark_runner.lowering.scripts.kafka import kafka_writer, producer_writer
from spark_runner.lowering.scripts.parts import refused
from spark_runner.lowering.scripts.schemas import writing_schema
from spark_runner.program.job_paths import resolved_path

__all__ = ["WriteEnd", "write_end"]

_FILE_SINKS = (FileSink, StreamingFileSink)  # Spark finishes the files of both when it commits
KAFKA_COLUMNS = "topic STRING, key BINARY, value BINARY"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteEnd:
    """What stands at a sink, and what records become before it."""

    kind: Literal["print", "collect", "write"]
    role: str
    options: dict[str, Any] = field(default_factory=dict)
    writer: Writer | None = None
    columns: str | None = None


def write_end(operator: Operator, kind: Any) -> WriteEnd:
    """What a sink of records of this type is on Spark. Raises UnsupportedOnSpark where it is nothing."""
    run = operator.run or PythonRun()
    if operator.helper == "collect":
        return WriteEnd(kind="collect", role="pass", options={"form": _collected(form_of(kind))})
    if isinstance(kind, GenericRecordAvroTypeInfo) and not isinstance(run.connector, _FILE_SINKS):
        raise refused(
            operator, "takes records of Avro, which only files of Avro hold here",
            "map them to another type upstream of it, for example Types.STRING()",
        )  # fmt: skip
    if operator.kind == "print":
        return WriteEnd(kind="print", role="java_text", options={"text": form_of(kind)})
    if isinstance(run.connector, _FILE_SINKS):
        return _files(operator, run.connector, kind)
    if isinstance(run.connector, KafkaSink):
        return _kafka(operator, run.connector, kind)
    if isinstance(run.connector, FlinkKafkaProducer):
        return _kafka_producer(operator, run.connector, kind)
    raise refused(
        operator, "is a sink that does not run on Spark",
        "print, execute_and_collect, FileSink, StreamingFileSink, KafkaSink and FlinkKafkaProducer do",
    )  # fmt: skip


def _collected(form: tuple[Any, ...]) -> tuple[Any, ...]:
    """Pickled records come back as they were; pickled parts of others stay bytes, as Java has them."""
    return form if form == ("any",) else _with_bytes(form)


def _with_bytes(form: Any) -> Any:
    if form == ("any",):
        return ("pickled",)
    return tuple(_with_bytes(one) for one in form) if isinstance(form, tuple) else form


def _files(operator: Operator, sink: Recorded, kind: Any) -> WriteEnd:
    given = dict(sink._calls[0].arguments)
    factory = given.get("writer_factory")
    names = file_names(operator, sink)
    if isinstance(factory, Recorded):
        return _bulk(operator, factory, str(given["base_path"]), names, kind)
    encoder = given.get("encoder")
    if not isinstance(encoder, Recorded) or not any("simple_string_encoder" in one.name for one in encoder._calls):
        raise refused(
            operator, "writes files in a format that does not run on Spark",
            "Encoder.simple_string_encoder(), and bulk writers of CSV, Parquet, ORC and Avro do",
        )  # fmt: skip
    if is_pickled(kind):
        raise refused(
            operator, "writes text of pickled records, of which Java sees only bytes",
            "give the operator upstream of it an output_type, for example Types.STRING()",
        )  # fmt: skip
    return WriteEnd(
        kind="write",
        role="java_text",
        options={"text": form_of(kind)},
        writer=Writer(format="text", path=str(given["base_path"]), mode="append", names=names),
        columns="value STRING",
    )


def _bulk(operator: Operator, factory: Recorded, path: str, names: FileNames, kind: Any) -> WriteEnd:
    """Rows in columns; lines of CSV are text."""
    call = factory._calls[0]
    given = dict(call.arguments)
    if call.name == "CsvBulkWriters.for_schema":
        form, options, header = csv_columns(operator, given["schema"])
        if header:
            raise refused(operator, "writes CSV with a header, which does not run on Spark", "leave the header out")
        return WriteEnd(
            kind="write", role="csv_line", options={"row": form, "csv": {**options, "line": ""}},
            writer=Writer(format="text", path=path, mode="append", names=names), columns="value STRING",
        )  # fmt: skip
    if call.name == "AvroBulkWriters.for_generic_record":
        return _avro(operator, given["schema"], kind, Writer(format="avro", path=path, mode="append", names=names))
    if call.name in ("ParquetBulkWriters.for_row_type", "OrcBulkWriters.for_row_type"):
        columns, form = row_columns(operator, given["row_type"])
        format_ = "parquet" if call.name.startswith("Parquet") else "orc"
        return WriteEnd(
            kind="write", role="columns", options={"row": form}, columns=columns,
            writer=Writer(format=format_, path=path, mode="append", names=names),
        )  # fmt: skip
    raise refused(
        operator, "writes files in a format that does not run on Spark", "bulk writers of CSV, Parquet, ORC and Avro do"
    )


def _avro(operator: Operator, schema: Any, kind: Any, writer: Writer) -> WriteEnd:
    """Records of Avro, by the schema that the writer was given."""
    if not isinstance(kind, GenericRecordAvroTypeInfo):
        raise refused(
            operator, f"writes files of Avro, and the records upstream of it are {kind}",
            "put a map upstream of it: map(lambda record: record, GenericRecordAvroTypeInfo(schema))",
        )  # fmt: skip
    text = _schema_text(operator, schema)
    return WriteEnd(
        kind="write", role="avro_record", options={"schema": text}, columns="value BINARY",
        writer=replace(writer, options=(("avroSchema", text),)),
    )  # fmt: skip


def _schema_text(operator: Operator, schema: Any) -> str:
    call = schema._calls[0]
    if call.name == "AvroSchema.parse_string":
        return str(call.first())
    try:
        return Path(resolved_path(str(call.first()), operator.location.file)).read_text()
    except OSError as error:
        raise refused(operator, f"has its Avro schema in a file: {error}", "check the path of parse_file()") from error


def _refuse_pickled_messages(operator: Operator, kind: Any) -> None:
    if is_pickled(kind):
        raise refused(
            operator, "writes messages of pickled records, of which Java sees only bytes",
            "give the operator upstream of it an output_type, for example Types.STRING()",
        )  # fmt: skip


def _kafka_producer(operator: Operator, producer: Recorded, kind: Any) -> WriteEnd:
    """The sink of Flink 1.x's old connector. PyFlink gives it no partitioner, so Kafka's own decides, as in Spark."""
    _refuse_pickled_messages(operator, kind)
    given = dict(producer._calls[0].arguments)
    value = writing_schema(operator, given["serialization_schema"])
    return WriteEnd(
        kind="write", role="message", options={"topic": str(given["topic"]), "key": None, "value": value},
        writer=producer_writer(operator, producer), columns=KAFKA_COLUMNS,
    )  # fmt: skip


def _kafka(operator: Operator, sink: Recorded, kind: Any) -> WriteEnd:
    _refuse_pickled_messages(operator, kind)
    call = sink.last("set_record_serializer")
    serializer = call.first() if call is not None else None
    if not isinstance(serializer, Recorded):
        raise refused(operator, "has no record serializer", "call set_record_serializer on its builder")
    topics = [one for one in serializer._calls if one.name in ("set_topic", "set_topic_selector")]
    if not topics:
        raise refused(operator, "names no Kafka topic", "call set_topic on its serializer's builder")
    key, value = (serializer.last(f"set_{part}_serialization_schema") for part in ("key", "value"))
    options = {
        "topic": str(topics[-1].first()) if topics[-1].name == "set_topic" else None,
        "key": None if key is None else writing_schema(operator, key.first()),
        "value": writing_schema(operator, value.first() if value is not None else None),
    }
    return WriteEnd(
        kind="write", role="message", options=options, writer=kafka_writer(operator, sink), columns=KAFKA_COLUMNS
    )
