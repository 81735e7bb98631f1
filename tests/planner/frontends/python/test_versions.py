"""Which version of PyFlink a script is planned for, and what is said where it does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

import planner
from cli.app import main
from planner.errors import JobDefinitionError, PlanningError
from planner.frontends.python_files.handover import LoadOptions
from tests.support.pyflink_scripts import plan_of, plans_of, write_script

CONSUMER = (
    "from pyflink.common import SimpleStringSchema\n"
    "from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer\n"
    "env.add_source(FlinkKafkaConsumer('words', SimpleStringSchema(), {'bootstrap.servers': 'a:1'})).print()"
)


@pytest.mark.parametrize(
    ("body", "version", "why"),
    [
        (CONSUMER, "1.20", "FlinkKafkaConsumer has no Java class"),
        ("from pyflink.datastream import TimeCharacteristic\nlines.print()", "1.20", "TimeCharacteristic"),
        ("from pyflink.datastream.time_characteristic import *\nlines.print()", "1.20", "time_characteristic"),
        ("env.read_text_file('/in').print()", "1.20", "read_text_file"),
        ("env.get_checkpoint_config().set_checkpoint_storage_dir('file:///c')\nlines.print()", "1.20", "storage_dir"),
        ("lines.print()", "2.3", None),
        ("from pyflink.datastream import AsyncDataStream\nlines.print()", "2.3", None),
        ("try:\n    env.read_text_file('/in')\nexcept AttributeError:\n    lines.print()", "2.3", None),
    ],
)
def test_a_script_with_names_of_1x_is_planned_for_1_20(
    body: str, version: str, why: str | None, tmp_path: Path
) -> None:
    found = plan_of(tmp_path, body)
    assert found.flink.version == found.job.flink == version
    assert len(found.job.notes) == (0 if why is None else 1)
    assert all(why in note for note in found.job.notes if why is not None)


@pytest.mark.parametrize(
    ("body", "version", "said", "hint"),
    [
        ("from pyflink.datastream import AsyncDataStream", "1.20", "cannot import name", "--flink 2.3"),
        ("import pyflink.datastream.async_data_stream", "1.19", "No module named", "--flink 2.3"),
        ("import pyflink.util.api_stability_decorators", "1.20", "No module named", "--flink 2.3"),
        ("Configuration.from_dict({})", "1.18", "no attribute 'from_dict'", "set_string"),
        ("env.read_text_file('/in')", "2.3", "no attribute 'read_text_file'", "--flink 1.20"),
        ("env.socket_text_stream('a', 1)", "1.20", "no attribute", "no PyFlink from 1.18 on has it"),
        ("env.from_elements(1)", "2.3", "no attribute", "no PyFlink from 1.18 on has it"),
        ("from pyflink.common.serialization import JsonRowDeserializationSchema", "1.20", "cannot import",
         "pyflink.datastream.formats.json"),
        ("from pyflink.common.serialization import SimpleStringEncoder", "1.20", "cannot import",
         "Encoder.simple_string_encoder()"),
    ],
)  # fmt: skip
def test_hints_go_in_both_directions(body: str, version: str, said: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(JobDefinitionError) as refused:
        plans_of(write_script(tmp_path, body), LoadOptions(flink=version))
    assert said in refused.value.message
    assert hint in (refused.value.hint or "")


OF_KAFKA = (
    "from pyflink.common import SimpleStringSchema\nfrom pyflink.common.serialization import *\n"
    "from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer, FlinkKafkaProducer\n"
    "class Reads(DeserializationSchema): pass\nclass Writes(SerializationSchema): pass\n"
    "class Empty(DeserializationSchema):\n    def __init__(self): pass\n"
    "known, at = SimpleStringSchema(), {'bootstrap.servers': 'a:1'}\n"
)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "env.add_source(FlinkKafkaConsumer('t', lambda line: line, at))",
            "'function' object has no attribute '_j_des",
        ),
        ("env.add_source(FlinkKafkaConsumer('t', Empty(), at))", "'Empty' object has no attribute '_j_des"),
        ("env.add_source(FlinkKafkaConsumer('t', SimpleStringSchema, at))", "type object 'SimpleStringSchema' has no"),
        ("env.add_source(FlinkKafkaConsumer('t', Reads(), at))", "Reads is a schema written in Python"),
        ("env.add_source(FlinkKafkaConsumer([], known, at))", "the supplied list cannot be empty"),
        ("env.add_source(FlinkKafkaConsumer('t', known, {1: 'a'}))", "1 and its value must be str"),
        ("FlinkKafkaConsumer('t', known, at).set_start_from_timestamp('5')", "setStartFromTimestamp([class str])"),
        ("FlinkKafkaConsumer('t', known, at).set_start_from_timestamp(-5)", "timestamp is invalid"),
        ("FlinkKafkaConsumer('t', known, at).set_commit_offsets_on_checkpoints('no')", "it takes bool"),
        ("lines.add_sink(FlinkKafkaProducer('t', Writes(), at))", "Writes is a schema written in Python"),
        ("lines.add_sink(FlinkKafkaProducer('t', print, at))", "has no attribute '_j_serialization_schema'"),
        ("lines.add_sink(FlinkKafkaProducer(['t'], known, at))", "it takes str"),
        ("lines.add_sink(FlinkKafkaProducer('t', known, at, semantic='NONE'))", "_to_j_semantic"),
        ("lines.add_sink(FlinkKafkaProducer('t', known, at, 0))", "must be non empty"),
        ("env.read_text_file(None)", "must not be null or blank"),
    ],
)
def test_what_pyflink_1_20_refuses_of_its_old_connectors(body: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(JobDefinitionError) as refused:
        plan_of(tmp_path, f"{OF_KAFKA}{body}\nlines.print()", LoadOptions(flink="1.20"))
    assert said in refused.value.message


def test_a_typed_source_may_have_a_schema_that_only_java_knows(tmp_path: Path) -> None:
    body = "env.add_source(FlinkKafkaConsumer(['t'], Reads(), at), type_info=Types.STRING()).print()"
    assert plan_of(tmp_path, OF_KAFKA + body, LoadOptions(flink="1.20")).stream_graph.nodes


def test_names_of_import_star_are_found_missing_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`import *` takes what the version has: the name is missing where it is used, and only what is used counts."""
    body = "from pyflink.datastream import *\nevent_time = TimeCharacteristic.EventTime\nlines.print()"
    found = plan_of(tmp_path, body)
    assert found.flink.version == "1.20"
    assert "PyFlink 2.3 has no TimeCharacteristic" in found.job.notes[0]
    script = write_script(tmp_path, body)
    assert main(["diff", f"{script}@1.20", f"{script}@2.3"]) == 2
    said = capsys.readouterr().err
    assert f":{script.read_text().splitlines().index('event_time = TimeCharacteristic.EventTime') + 1}: Time" in said
    assert "FsStateBackend" not in said
    with pytest.raises(JobDefinitionError, match="AsyncFunction") as refused:
        body = "from pyflink.datastream import *\nclass Ask(AsyncFunction):\n    pass\nlines.print()"
        plans_of(write_script(tmp_path, body), LoadOptions(flink="1.20"))
    assert "--flink 2.3" in (refused.value.hint or "")


def test_a_script_that_fits_no_version_says_so(tmp_path: Path) -> None:
    """The first name sends it to 1.20, which does not have the second."""
    with pytest.raises(JobDefinitionError, match="AsyncDataStream") as refused:
        plan_of(tmp_path, "env.read_text_file('/in')\nfrom pyflink.datastream import AsyncDataStream")
    assert "--flink 2.3" in (refused.value.hint or "")


def test_one_version_after_the_other(tmp_path: Path) -> None:
    """What one version has does not stay for the next."""
    for version, release in (("1.18", "1.18.1"), ("2.3", "2.3.0"), ("1.20", "1.20.5")):
        body = f"import pyflink.version\nassert pyflink.version.__version__ == {release!r}\nlines.print()"
        assert planner.load_plan(write_script(tmp_path, body), flink=version).flink.version == version


def test_a_loaded_script_is_not_planned_for_another_version(tmp_path: Path) -> None:
    script = write_script(tmp_path, "lines.print()")
    with pytest.raises(PlanningError, match=r"loaded with PyFlink 2\.3"):
        planner.plan(planner.load_job(script), flink="1.20")
    with pytest.raises(PlanningError, match=r"known for Flink 1\.18, 1\.19, 1\.20, 2\.3 only"):
        planner.load_plan(script, flink="2.1")


def test_a_diff_names_every_call_that_an_upgrade_must_replace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = f"from pyflink.datastream import TimeCharacteristic\n{CONSUMER}\nenv.read_text_file('/in').print()"
    script = write_script(tmp_path, body)
    assert main(["diff", f"{script}@1.20", f"{script}@2.3"]) == 2
    said = capsys.readouterr().err.splitlines()
    listed = said[said.index("    to plan it for Flink 2.3, replace:") + 1 :]
    assert [line.split(": ")[0].rpartition(":")[2] + " " + line.split(": ")[1] for line in listed] == [
        "7 TimeCharacteristic",
        "10 FlinkKafkaConsumer",
        "11 read_text_file",
    ]
    assert "KafkaSource at the earliest record" in listed[1]
    assert "its id changes" in listed[1]


def test_a_version_alone_is_no_change_of_the_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = write_script(tmp_path, "lines.map(len).print()")
    assert main(["diff", f"{script}@1.20", f"{script}@2.3", "--exit-code"]) == 0
    said = capsys.readouterr().out
    assert "Flink 1.20 -> 2.3" in said
    assert "all 3 stay" in said
