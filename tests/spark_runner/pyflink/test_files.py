"""Files of PyFlink scripts on Spark: text in any charset, CSV, Parquet, ORC and Avro, read and written."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path
from typing import Any

import pytest

from planner.errors import ExecutionError, UnsupportedOnSpark
from planner.frontends.loading import load_jobs
from planner.frontends.python_files.handover import LoadOptions
from planner.job import FileNames
from spark_runner.executor.formats.avro_files import records_of_file
from spark_runner.executor.formats.avro_rows import AvroWriter
from spark_runner.program.file_names import bucket_of
from tests.support.pyflink_runs import ScriptRun

HEAD = """
import os
from pyflink.common import Row, Types, WatermarkStrategy
from pyflink.common.serialization import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import *
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
    return sorted(line for file in folder.glob("*/part-*") for line in file.read_text().splitlines())


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


def test_files_are_spread_evenly_over_subtasks_and_each_is_on_one(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in put").mkdir()
    for name, lines in {"a": 6, "b": 1, "c": 2, "d": 3}.items():
        (tmp_path / "in put" / f"{name}.txt").write_text(f"{name}\n" * lines)
    body = """
env.set_parallelism(2)
read(FileSource.for_record_stream_format(StreamFormat.text_line_format(), here + "/in put")).print()
env.execute()
"""
    lines = run(spark, tmp_path, body)
    found = {frozenset(line[3:] for line in lines if line[0] == subtask) for subtask in {line[0] for line in lines}}
    assert found == {frozenset("a"), frozenset("bcd")}
    assert len(lines) == 12


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
    assert spark.read.orc(str(tmp_path / "orc"), recursiveFileLookup=True).count() == 2


AVRO = """
from pyflink.datastream.formats.avro import AvroBulkWriters, AvroInputFormat, AvroSchema, GenericRecordAvroTypeInfo
schema = AvroSchema.parse_string('''{"type": "record", "name": "r", "fields": [
    {"name": "id", "type": "long"}, {"name": "any", "type": ["null", "string", "int"]},
    {"name": "list", "type": {"type": "array", "items": "double"}}, {"name": "at", "type":
    {"type": "long", "logicalType": "timestamp-millis"}}]}''')
"""


def test_avro_is_written_and_read_back(spark: Any, tmp_path: Path) -> None:
    body = (
        AVRO
        + """
from datetime import datetime, timezone
made = rows.map(lambda row: {"id": row.id, "any": [None, "x\\n", 7][row.id], "list": row.parts,
                             "at": datetime(2020, 1, row.id, tzinfo=timezone.utc)}, GenericRecordAvroTypeInfo(schema))
flat = BucketAssigner.base_path_bucket_assigner()
made.sink_to(FileSink.for_bulk_format(here + "/avro", AvroBulkWriters.for_generic_record(schema))
             .with_bucket_assigner(flat).build())
env.execute()
back = env.create_input(AvroInputFormat(here + "/avro", schema))
back.map(lambda record: (record["id"], record["any"], record["list"], str(record["at"]))).print()
env.execute()
"""
    )
    lines = run(spark, tmp_path, body)
    assert sorted(lines) == [
        "(1, 'x\\n', [0.5], '2020-01-01 00:00:00+00:00')",
        "(2, 7, [1.0], '2020-01-02 00:00:00+00:00')",
    ]
    (file,) = (tmp_path / "avro").glob("part-*")
    assert file.read_bytes().startswith(b"Obj\x01")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "rows.sink_to(FileSink.for_bulk_format(here, AvroBulkWriters.for_generic_record(schema)).build())",
            "and the records upstream of it are RowTypeInfo",
        ),
        ("env.create_input(AvroInputFormat(here, schema)).print()", "takes records of Avro"),
    ],
)
def test_what_of_avro_does_not_run_is_refused(spark: Any, tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(UnsupportedOnSpark, match=message) as refused:
        run(spark, tmp_path, f"{AVRO}{body}\nenv.execute()\n")
    assert refused.value.location is not None
    assert refused.value.hint


@pytest.mark.parametrize(("codec", "pack"), [("null", bytes), ("deflate", lambda data: zlib.compress(data)[2:-4])])
def test_files_of_other_writers_are_read(codec: str, pack: Any) -> None:
    fields = b'[{"name": "a", "type": "int"}, {"name": "next", "type": ["null", "r"]}]'
    schema = b'{"type": "record", "name": "r", "fields": ' + fields + b"}"
    about = AvroWriter({}).write(
        {"type": "map", "values": "bytes"}, {"avro.schema": schema, "avro.codec": codec.encode()}
    )
    block = pack(bytes([2, 2, 4, 0]) + bytes([6, 0]))  # 1 with 2 behind it, then 3
    content = (
        b"Obj\x01" + about + b"s" * 16 + AvroWriter({}).write("long", 2) + AvroWriter({}).write("long", len(block))
    )
    found = list(records_of_file(bytes(content + block + b"s" * 16)))
    assert found == [{"a": 1, "next": {"a": 2, "next": None}}, {"a": 3, "next": None}]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"PAR1", "no file of Avro"), (b"Obj\x01\x04\x14avro.codec\x0csnappy\x16avro.schema\x02{\x00", "snappy")],
)
def test_files_that_are_no_avro_are_named(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(records_of_file(content.replace(b"\x02{", b'\x0a"int"')))


TWO_SINKS = """
words = env.from_collection(["a", "b"], Types.STRING()).map(lambda word: word, Types.STRING())
for name in ("first", "second/deeper"):
    words.sink_to(FileSink.for_row_format(here + "/" + name, Encoder.simple_string_encoder())
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).CONFIG.build())
env.execute()
"""


@pytest.mark.parametrize("config", ["", "with_output_file_config(OutputFileConfig('words', '.ext'))"])
def test_a_failed_run_leaves_no_files_and_the_next_one_has_each_record_once(
    spark: Any, tmp_path: Path, config: str
) -> None:
    body = TWO_SINKS.replace(".CONFIG", f".{config}" if config else "")
    (tmp_path / "second").write_text("in the way")
    with pytest.raises(ExecutionError):
        run(spark, tmp_path, body)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job.py", "second"]
    (tmp_path / "second").unlink()
    run(spark, tmp_path, body)
    pattern = "words-*.ext" if config else "part-*"
    for name in ("first", "second/deeper"):
        lines = [line for file in (tmp_path / name).glob(pattern) for line in file.read_text().splitlines()]
        assert sorted(lines) == ["a", "b"]


def test_files_lie_in_buckets_under_their_names(spark: Any, tmp_path: Path) -> None:
    run(
        spark,
        tmp_path,
        """
def files(name):
    return FileSink.for_row_format(here + "/" + name, Encoder.simple_string_encoder())
words = rows.map(lambda row: row.word, Types.STRING())
names = OutputFileConfig.builder().with_part_prefix("words").with_part_suffix(".ext").build()
flat = BucketAssigner.base_path_bucket_assigner()
years = BucketAssigner.date_time_bucket_assigner("'y'yyyy", "UTC")
words.sink_to(files("plain").with_bucket_assigner(flat).build())
words.sink_to(files("named").with_bucket_assigner(years).with_output_file_config(names).build())
env.execute()
""",
    )
    assert sorted(line for file in (tmp_path / "plain").glob("part-*") for line in file.open()) == ["w\n", "ww\n"]
    (bucket,) = (tmp_path / "named").iterdir()
    assert re.fullmatch(r"y20\d\d", bucket.name)
    named = list(bucket.glob("words-*"))
    assert [re.fullmatch(r"words-[0-9a-f-]{36}-\d+\.ext", file.name) is not None for file in named] == [True]
    assert named[0].read_text() == "w\nww\n"
    assert not list(tmp_path.glob("_named*"))


@pytest.mark.parametrize(
    ("pattern", "zone", "bucket"),
    [
        ("yyyy-MM-dd--HH", "UTC", "2023-11-14--22"),
        ("yyyy-MM-dd--HH", "Asia/Tokyo", "2023-11-15--07"),
        ("yy/M/d 'at' hh:mm:ss.SSS a", "UTC", "23/11/14 at 10:13:20.123 PM"),
        ("'it''s' EEE D MMM", "UTC", "it's Tue 318 Nov"),
        (None, None, ""),
    ],
)
def test_buckets_are_named_as_java_writes_times(pattern: str | None, zone: str | None, bucket: str) -> None:
    assert bucket_of(FileNames(bucket=pattern, zone=zone), 1_700_000_000_123) == bucket


@pytest.mark.parametrize("assigner", ["'yyyy-ww'", "'yyyy', 'Mars/Base'"])
def test_buckets_that_cannot_be_followed_are_refused(spark: Any, tmp_path: Path, assigner: str) -> None:
    body = f"""
sink = FileSink.for_row_format(here, Encoder.simple_string_encoder())
sink.with_bucket_assigner(BucketAssigner.date_time_bucket_assigner({assigner}))
rows.map(lambda row: row.word, Types.STRING()).sink_to(sink.build())
env.execute()
"""
    with pytest.raises(UnsupportedOnSpark, match="has buckets by the pattern") as refused:
        run(spark, tmp_path, body)
    assert refused.value.hint
