"""What Spark would read for a source of files, by plain Python: for jobs that run without Spark.

Files of lines, of CSV and of JSON, as far as the tests write them: no quotes across lines, no header.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from planner.job import Reader
from spark_runner.program.chunks import ChunkPlan, ChunkSource
from tests.support.stream_engine import schema_of

__all__ = ["file_batches", "positioned", "reader_schemas"]

_PLACE = ("__b0", "__b1", "__b2", "__split", "__now")


def reader_schemas(job: ChunkPlan) -> dict[int, pa.Schema]:
    """The columns of the sources that read files, by the sources' numbers."""
    return {
        source.number: schema_of(source.operator.output or "value string")
        for source in job.sources
        if isinstance(source.operator.behaviour, Reader)
    }


def file_batches(source: ChunkSource) -> list[pa.RecordBatch]:
    """The records of each file, in the order of their names."""
    reader = source.operator.behaviour
    assert isinstance(reader, Reader)
    schema = schema_of(source.operator.output or "value string")
    files = sorted(file for path in source.paths or (str(reader.path),) for file in Path(path).rglob("*.txt"))
    return [_batch(reader.format, file.read_text(encoding="utf-8"), schema) for file in files]


def _batch(kind: str, text: str, schema: pa.Schema) -> pa.RecordBatch:
    rows = list({"text": _lines, "csv": _csv, "json": _json}[kind](text, schema.names))
    columns = [pa.array([_of(row[at], field.type) for row in rows], field.type) for at, field in enumerate(schema)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _lines(text: str, names: list[str]) -> Iterator[list[Any]]:
    return ([line] for line in text.splitlines())


def _csv(text: str, names: list[str]) -> Iterator[list[Any]]:
    return csv.reader(io.StringIO(text))


def _json(text: str, names: list[str]) -> Iterator[list[Any]]:
    return ([json.loads(line)[name] for name in names] for line in text.splitlines())


def _of(value: Any, kind: pa.DataType) -> Any:
    return int(value) if pa.types.is_integer(kind) else value


def positioned(batch: pa.RecordBatch, file: int) -> pa.RecordBatch:
    """The records with what a stream's reader says of the place where each lies."""
    numbers = (file, 0, 0, file, 0)
    columns = [pa.array([number] * batch.num_rows, pa.int64()) for number in numbers]
    return pa.RecordBatch.from_arrays([*batch.columns, *columns], [*batch.schema.names, *_PLACE])
