"""File sinks that compact their files, and types that only Java knows. Plans and refusals are real PyFlink's."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.python_files.handover import LoadOptions
from tests.support.pyflink_scripts import plan_of

HEAD = """\
from pyflink.common import Encoder
from pyflink.datastream import RuntimeExecutionMode
from pyflink.datastream.connectors.file_system import *
def files(path):
    return FileSink.for_row_format(path, Encoder.simple_string_encoder())
strategy = FileCompactStrategy.builder().enable_compaction_on_checkpoint(3).build()
concat = FileCompactor.concat_file_compactor()
"""
TWO = LoadOptions(parallelism=2)
COMPACT = "lines.map(str, Types.STRING()).sink_to(files('/out').enable_compact(strategy, concat).build())"
WRITER, COMMITTER = "99f81c8b796ac910503cd5b0f1cd3d1d", "b28acc58982414beb9e34fa13ba2def8"
COORDINATOR, COMPACTOR = "038b7d86f27ce2e20cb081847d6e9fbc", "aefd623d6e157da9c115b9fb2fe44baa"


@pytest.mark.parametrize("batch", [False, True])
def test_a_coordinator_and_compactors_stand_behind_the_writer(tmp_path: Path, batch: bool) -> None:
    mode = "env.set_runtime_mode(RuntimeExecutionMode.BATCH)\n" if batch else ""
    found = plan_of(tmp_path, HEAD + mode + COMPACT + ".uid('files')", TWO)
    graph = found.stream_graph
    assert [(node.id, node.name, node.parallelism) for node in graph.nodes] == [
        (1, "Source: Collection Source", 1),
        (2, "Map", 2),
        (4, "Sink: Writer", 2),
        (7, "Sink: CompactorCoordinator", 1),
        (8, "Sink: CompactorOperator", 2),
        (9, "Sink: Committer", 2),
    ]
    assert [(edge.source, edge.target, edge.partitioner) for edge in graph.edges[2:]] == [
        (4, 7, "REBALANCE"), (7, 8, "REBALANCE"), (8, 9, "FORWARD"),
    ]  # fmt: skip
    assert [found.operator_ids[node] for node in (4, 7, 8, 9)] == [WRITER, COORDINATOR, COMPACTOR, COMMITTER]
    assert [vertex.name for vertex in found.job_graph.vertices] == [
        "Source: Collection Source", "Map -> Sink: Writer", "Sink: CompactorCoordinator",
        "Sink: CompactorOperator -> Sink: Committer",
    ]  # fmt: skip


def test_the_ids_of_a_second_sink_follow_those_of_the_first(tmp_path: Path) -> None:
    body = f"{COMPACT}.uid('files')\n{COMPACT}.uid('other').set_parallelism(1)"
    found = plan_of(tmp_path, HEAD + body, TWO)
    assert [(node.id, node.name) for node in found.stream_graph.nodes if "Writer" in node.name] == [
        (6, "Sink: Writer"), (14, "Sink: Writer"),
    ]  # fmt: skip


def test_compaction_that_was_switched_off_leaves_operators_for_its_old_state(tmp_path: Path) -> None:
    body = COMPACT.replace("enable_compact(strategy, concat)", "disable_compact()") + ".uid('files')"
    found = plan_of(tmp_path, HEAD + body, TWO)
    assert [vertex.name for vertex in found.job_graph.vertices][1:] == [
        "Map -> Sink: Writer -> Sink: CompactorCoordinatorPlaceHolder -> Sink: CompactorOperatorPlaceHolder"
        " -> Sink: Committer"
    ]
    assert [found.operator_ids[node] for node in (4, 7, 9, 10)] == [WRITER, COORDINATOR, COMPACTOR, COMMITTER]


def test_a_strategy_that_was_given_once_is_kept(tmp_path: Path) -> None:
    body = COMPACT.replace(".build())", ".disable_compact().build())") + ".uid('files')"
    assert "Sink: CompactorCoordinator" in [node.name for node in plan_of(tmp_path, HEAD + body).stream_graph.nodes]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (COMPACT, "Sink Sink requires to set a uid since its customized topology has set uid"),
        (COMPACT + ".uid('f').set_uid_hash('a' * 32)", "Cannot set a custom UID hash on a non-legacy sink"),
        ("FileCompactStrategy.builder().build()", "At least one trigger condition must be configured"),
        (
            "FileCompactStrategy.builder().enable_compaction_on_checkpoint(0).build()",
            "Number of checkpoints before compaction should be more than 0",
        ),
        (
            "FileCompactStrategy.builder().set_size_threshold(1).set_num_compact_threads(0).build()",
            "Compact threads should be more than 0",
        ),
    ],
)
def test_what_flink_refuses_is_refused(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(JobDefinitionError, match=message) as refused:
        plan_of(tmp_path, HEAD + body)
    assert refused.value.location is not None
    assert refused.value.hint


ROWS = """\
from pyflink.common import WatermarkStrategy
from pyflink.datastream.connectors.file_system import FileSource
from pyflink.datastream.formats.csv import CsvReaderFormat, CsvSchema
columns = CsvSchema.builder().add_string_column("a").build()
source = FileSource.for_record_stream_format(CsvReaderFormat.for_schema(columns), "/in").build()
rows = env.from_source(source, WatermarkStrategy.no_watermarks(), "rows")
"""


@pytest.mark.parametrize("call", ["filter(bool)", "key_by(str)", "partition_custom(max, str)", "get_type()"])
def test_pyflink_knows_no_type_for_rows_of_columns(tmp_path: Path, call: str) -> None:
    with pytest.raises(JobDefinitionError, match="is not supported in PyFlink currently"):
        plan_of(tmp_path, f"{ROWS}rows.{call}\nrows.print()")


def test_rows_of_columns_can_be_mapped_and_printed(tmp_path: Path) -> None:
    found = plan_of(tmp_path, ROWS + "rows.print()\nrows.rebalance().map(str, Types.STRING()).filter(bool).print()")
    assert "Map, Filter" in [node.name for node in found.stream_graph.nodes]
