"""Files of PyFlink scripts on Spark: text in any charset, CSV, Parquet and ORC, read and written."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from planner.errors import UnsupportedOnSpark
from planner.frontends.loading import load_jobs
from planner.frontends.scripts.handover import LoadOptions
from tests.support.pyflink_runs import ScriptRun

HEAD = """
import os
from pyflink.common import Row, Types, WatermarkStrategy
from pyflink.common.serialization import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import *
from pyflink.datastream.formats.avro import AvroBulkWriters, AvroSchema
from pyflink.datastream.formats.csv import CsvBulkWriters, CsvReaderFormat, CsvSchema
from pyflink.datastream.formats.orc import OrcBulkWriters
from pyflink.datastream.formats.parquet import ParquetBulkWriters, ParquetColumnarRowInputFormat
from pyflink.table import DataTypes
here = os.path.dirname(os.path.abspath(__file__))
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
def read(source):
    return env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "files")
ROWS = Types.ROW_NAMED(["id", "word", "parts"], [Types.LONG(), Types.STRING(), Types.LIST(Types.DOUBLE())])
rows = env.from_collection([1, 2], Types.LONG()).map(lambda n: Row(id=n, word="w" * n, parts=[n / 2]), ROWS)
COLUMNS = DataTypes.ROW([DataTypes.FIELD("id", DataTypes.BIGINT()), DataTypes.FIELD("word", DataTypes.STRING()),
                         DataTypes.FIELD("parts", DataTypes.ARRAY(DataTypes.DOUBLE()))])
"""


def run(spark: Any, folder: Path, body: str) -> list[str]:
    script = folder / "job.py"
    script.write_text(HEAD + body)
    script_run = ScriptRun(spark)
    load_jobs(str(script), LoadOptions(run=script_run._job))
    return script_run.lines


def written(folder: Path) -> list[str]:
    return sorted(line for file in folder.glob("part-*") for line in file.read_text().splitlines())


def test_text_is_read_as_flink_reads_it(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "a.txt").write_text("a\n\nb")
    (tmp_path / "in" / ".hidden").write_text("h\n")
    (tmp_path / "in" / "_under").write_text("u\n")
    (tmp_path / "in" / "sub" / "c.txt").write_bytes(b"c\r\nd\n")
    (tmp_path / "in" / "z.gz").write_bytes(gzip.compress(b"z\n"))
    (tmp_path / "latin.txt").write_bytes("äö\n".encode("latin-1"))
    lines = run(
        spark,
        tmp_path,
        """
read(FileSource.for_record_stream_format(StreamFormat.text_line_format(), here + "/in")).map(repr).print()
read(FileSource.for_record_stream_format(StreamFormat.text_line_format("ISO-8859-1"), here + "/latin.txt")).print()
env.execute()
""",
    )
    assert sorted(lines) == sorted(["'a'", "''", "'b'", "'c'", "'d'", "'z'", "äö"])


def test_csv_is_read_and_written(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('1,ab,1.5,true\n2,"q,""r",2.5,false\n')
    lines = run(
        spark,
        tmp_path,
        """
schema = (CsvSchema.builder().add_number_column("id", DataTypes.BIGINT()).add_string_column("s")
          .add_number_column("d", DataTypes.DOUBLE()).add_boolean_column("b").build())
csv = read(FileSource.for_record_stream_format(CsvReaderFormat.for_schema(schema), here + "/in.csv"))
csv.map(lambda row: repr((row.id, row.s, row.d, row.b)), Types.STRING()).print()
csv.sink_to(FileSink.for_bulk_format(here + "/out", CsvBulkWriters.for_schema(schema)).build())
env.execute()
""",
    )
    assert sorted(lines) == ["(1, 'ab', 1.5, True)", "(2, 'q,\"r', 2.5, False)"]
    assert written(tmp_path / "out") == ["1,ab,1.5,true", '2,"q,""r",2.5,false']


def test_columns_are_written_and_read_back(spark: Any, tmp_path: Path) -> None:
    lines = run(
        spark,
        tmp_path,
        """
rows.sink_to(FileSink.for_bulk_format(here + "/parquet", ParquetBulkWriters.for_row_type(COLUMNS)).build())
rows.sink_to(FileSink.for_bulk_format(here + "/orc", OrcBulkWriters.for_row_type(COLUMNS)).build())
env.execute()
format = ParquetColumnarRowInputFormat(COLUMNS, batch_size=10)
read(FileSource.for_bulk_file_format(format, here + "/parquet")).map(lambda row: (row.id, row["word"], row[2])).print()
env.execute()
""",
    )
    assert sorted(lines) == ["(1, 'w', [0.5])", "(2, 'ww', [1.0])"]
    assert spark.read.orc(str(tmp_path / "orc")).count() == 2


def test_other_formats_are_refused(spark: Any, tmp_path: Path) -> None:
    body = """
schema = AvroSchema.parse_string('{"type": "record", "name": "r", "fields": []}')
rows.sink_to(FileSink.for_bulk_format(here + "/avro", AvroBulkWriters.for_generic_record(schema)).build())
env.execute()
"""
    with pytest.raises(UnsupportedOnSpark, match="in a format that does not run on Spark") as refused:
        run(spark, tmp_path, body)
    assert refused.value.location is not None
