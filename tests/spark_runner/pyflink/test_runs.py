"""What a run of a PyFlink script counts and tells, what is refused, and what a failing function says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.errors import ExecutionError, OptionError, UnsupportedOnSpark
from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.clusters.request import RunRequest
from spark_runner.lowering.lower import lower
from spark_runner.runs.preparation import prepare_job
from tests.support.pyflink_runs import ScriptRun

HEAD = """
from pyflink.common import Types, WatermarkStrategy
from pyflink.common.serialization import Encoder, SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import SinkFunction
from pyflink.datastream.connectors.file_system import FileSink
from pyflink.datastream.connectors.kafka import KafkaSource
env = StreamExecutionEnvironment.get_execution_environment()
"""


def program_of(tmp_path: Path, body: str) -> Any:
    script = tmp_path / "job.py"
    script.write_text(HEAD + body + "\nenv.execute()\n")
    return lower(plan(load_job(str(script)))).chunks


def test_a_merged_operator_is_lowered_into_its_parts(tmp_path: Path) -> None:
    job = program_of(tmp_path, "env.from_collection([1]).map(str).filter(bool).key_by(len).reduce(max).print()")
    roles = [[one.role for one in vertex.operations] for vertex in job.vertices]
    assert roles == [["pass", "map", "filter", "key_of"], ["reduce", "python_text", "java_text"]]
    forms = [["form" in one.options for one in vertex.operations] for vertex in job.vertices]
    assert forms == [[True, False, False, True], [False, True, False]]  # only what leaves an operator is converted


def test_figures_are_those_of_the_merged_operator(spark: Any, tmp_path: Path) -> None:
    run = ScriptRun(spark)
    run.run("word_count_stream", tmp_path)
    counts = {o.name: (o.records_in, o.records_out) for v in run.results[0].vertices for o in v.operators}
    assert counts == {
        "Source: Collection Source": (0, 2),
        "FlatMap, Map, _stream_key_by_map_operator": (2, 6),
        "Reduce": (6, 6),
        "Sink: Print to Std. Out": (6, 0),
    }
    assert [(sink.format, sink.records) for sink in run.results[0].sinks] == [("print", 6)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "env.from_collection([1]).sink_to(FileSink.for_row_format('out', Encoder.simple_string_encoder()).build())",
            "writes text of pickled records",
        ),
        (
            "env.add_jars('file:///mine.jar')\nenv.from_collection([1]).add_sink(SinkFunction('org.example.Sink'))",
            "is a sink that does not run on Spark",
        ),
    ],
)
def test_what_cannot_run_is_refused_with_its_place(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(UnsupportedOnSpark, match=message) as refused:
        program_of(tmp_path, body)
    assert refused.value.location is not None
    assert refused.value.hint


def test_a_driver_on_the_cluster_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(HEAD + "env.from_collection([1]).print()\nenv.execute()\n")
    request = RunRequest(job=str(script), folder=str(tmp_path), master="yarn", deploy_mode="cluster")
    with pytest.raises(OptionError, match="a PyFlink script runs here"):
        prepare_job(load_job(str(script)), request)


def test_a_failing_part_is_named_with_its_line_and_record(spark: Any, tmp_path: Path) -> None:

    script = tmp_path / "job.py"
    script.write_text(
        HEAD + "env.from_collection([1, 0]).map(lambda x: x).map(lambda x: 1 / x).print()\nenv.execute()\n"
    )
    from spark_runner.batch.execute import execute

    program = lower(plan(load_job(str(script))))
    with pytest.raises(ExecutionError, match="ZeroDivisionError") as failed:
        execute(program, spark, events=lambda event: None)
    assert failed.value.operator == "map-2"
    assert "record: 0" in str(failed.value)


def test_a_record_that_its_type_does_not_allow_is_refused(spark: Any, tmp_path: Path) -> None:

    script = tmp_path / "job.py"
    script.write_text(
        HEAD + "env.from_collection([1]).map(lambda x: x, output_type=Types.STRING()).print()\nenv.execute()\n"
    )
    from spark_runner.batch.execute import execute

    program = lower(plan(load_job(str(script))))
    with pytest.raises(ExecutionError, match="is not a string, which its declared type says"):
        execute(program, spark, events=lambda event: None)
