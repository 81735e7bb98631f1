"""Sources and sinks that only PyFlink 1.x has, on Spark."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from planner.errors import UnsupportedOnSpark
from planner.frontends.loading import load_job, load_jobs
from planner.frontends.python_files.handover import LoadOptions
from planner.pipeline import plan
from spark_runner.lowering.scripts.sinks import write_end
from spark_runner.lowering.scripts.sources import read_end
from spark_runner.program.chunks import COMMITTED_BY
from tests.support.pyflink_runs import ScriptRun

HEAD = """
import os
from pyflink.common import Encoder, SimpleStringSchema, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import StreamingFileSink
from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer, FlinkKafkaProducer
here = os.path.dirname(os.path.abspath(__file__))
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
"""
SERVERS = "'bootstrap.servers': 'a:1', 'group.id': 'g', 'security.protocol': 'SSL'"


def operators(folder: Path, body: str) -> dict[str, Any]:
    script = folder / "job.py"
    script.write_text(f"{HEAD}{body}\nenv.execute()\n")
    return {operator.kind: operator for operator in plan(load_job(script)).job.operators}


@pytest.mark.parametrize(
    ("properties", "call", "wanted"),
    [
        ("", ".set_start_from_earliest()", {"startingOffsets": "earliest"}),
        ("", ".set_start_from_earliest().set_start_from_latest()", {"startingOffsets": "latest"}),
        ("", ".set_start_from_timestamp(5)",
         {"startingTimestamp": "5", "startingOffsetsByTimestampStrategy": "latest"}),
        (", 'auto.offset.reset': 'earliest'", "", {"startingOffsets": "earliest", COMMITTED_BY: "g"}),
        ("", ".set_start_from_latest().set_start_from_group_offsets()",
         {"startingOffsets": "latest", COMMITTED_BY: "g"}),
    ],
)  # fmt: skip
def test_a_consumer_is_read_as_a_kafka_source(
    properties: str, call: str, wanted: dict[str, str], tmp_path: Path
) -> None:
    made = f"FlinkKafkaConsumer(['a', 'b'], SimpleStringSchema(), {{{SERVERS}{properties}}}){call}"
    source = operators(tmp_path, f"env.add_source({made}).print()")["source"]
    end = read_end(source, streaming=True)
    assert end.reader is not None
    assert dict(end.reader.options) == {
        "kafka.bootstrap.servers": "a:1",
        "kafka.security.protocol": "SSL",
        "subscribe": "a,b",
        **wanted,
    }
    assert end.options["schema"] == ("string", "UTF-8")


def test_a_consumer_without_a_group_begins_as_kafka_does(tmp_path: Path) -> None:
    """FlinkKafkaConsumer begins where its group stands by itself, and KafkaSource at the earliest record."""
    made = "FlinkKafkaConsumer('a', SimpleStringSchema(), {'bootstrap.servers': 'a:1'})"
    end = read_end(operators(tmp_path, f"env.add_source({made}).print()")["source"], streaming=True)
    assert end.reader is not None
    assert dict(end.reader.options)["startingOffsets"] == "latest"
    assert COMMITTED_BY not in dict(end.reader.options)


def test_a_producer_is_written_as_a_kafka_sink(tmp_path: Path) -> None:
    made = f"FlinkKafkaProducer('out', SimpleStringSchema(), {{{SERVERS}}})"
    sink = operators(tmp_path, f"env.from_collection(['a'], Types.STRING()).add_sink({made})")["sink"]
    end = write_end(sink, sink.run.record_type)
    assert end.writer is not None
    assert dict(end.writer.options) == {"kafka.bootstrap.servers": "a:1", "kafka.security.protocol": "SSL"}
    assert (end.role, end.options["topic"], end.options["key"]) == ("message", "out", None)
    pickled = operators(tmp_path, f"env.from_collection(['a']).add_sink({made})")["sink"]
    with pytest.raises(UnsupportedOnSpark, match="pickled"):
        write_end(pickled, pickled.run.record_type)


@pytest.mark.parametrize(
    ("name", "path", "said"),
    [("_named", "_named", "passes over files"), ("packed.xz", "", "packed.xz"), ("packed.zst", "packed.zst", ".zst")],
)
def test_text_files_that_spark_reads_otherwise_are_refused(name: str, path: str, said: str, tmp_path: Path) -> None:
    """Flink reads a hidden file that is named itself; Spark would read nothing, or packed bytes as lines."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_text("line")
    source = operators(tmp_path, f"env.read_text_file({str(tmp_path / 'in' / path)!r}).print()")["source"]
    with pytest.raises(UnsupportedOnSpark, match=said):
        read_end(source, streaming=False)


def test_text_files_are_read_and_written_as_flink_1x_does(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "1.txt").write_bytes(b"a\r\nb\rc\n\nlast")
    (folder / "2.gz").write_bytes(gzip.compress(b"zipped\n"))
    (folder / "3.txt").write_bytes(b"bad \xff byte\n")
    for name in ("_hidden", ".hidden", "deep/nested"):
        (folder / name).write_text(f"{name}\n")
    body = (
        "lines = env.read_text_file(os.path.join(here, 'in'))\n"
        "lines.map(repr, Types.STRING()).print()\n"
        "files = StreamingFileSink.for_row_format(os.path.join(here, 'out'), Encoder.simple_string_encoder())\n"
        "lines.add_sink(files.build())\nenv.execute()\n"
    )
    script = tmp_path / "job.py"
    script.write_text(HEAD + body)
    run = ScriptRun(spark)
    load_jobs(str(script), LoadOptions(run=run._job))
    printed = sorted(line.partition("> ")[2] for line in run.lines)
    assert printed == sorted(map(repr, ["a", "b\rc", "", "last", "zipped", "bad \ufffd byte"]))
    files = list((tmp_path / "out").glob("*/part-*"))
    assert sorted(line for file in files for line in file.read_bytes().decode().split("\n")[:-1]) == sorted(
        ["a", "b\rc", "", "last", "zipped", "bad \ufffd byte"]
    )
