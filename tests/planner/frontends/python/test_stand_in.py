"""`import pyflink` while a script is loaded: our own package, and nothing of it afterwards."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.python.stand_in import pyflink_stand_in
from planner.frontends.python_files.handover import LoadOptions
from tests.support.pyflink_scripts import plan_of, plans_of, write_script


def test_an_installed_pyflink_is_neither_used_nor_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = ModuleType("pyflink")
    part = ModuleType("pyflink.datastream")
    monkeypatch.setitem(sys.modules, "pyflink", installed)
    monkeypatch.setitem(sys.modules, "pyflink.datastream", part)
    finders = list(sys.meta_path)
    plan_of(tmp_path, "lines.map(str).print()")
    assert sys.modules["pyflink"] is installed
    assert sys.modules["pyflink.datastream"] is part
    assert "pyflink.common" not in sys.modules
    assert sys.meta_path == finders


def test_nothing_is_left_when_a_script_fails(tmp_path: Path) -> None:
    with pytest.raises(JobDefinitionError):
        plans_of(write_script(tmp_path, "1 / 0"))
    assert not [name for name in sys.modules if name.split(".")[0] == "pyflink"]


def test_every_way_to_import() -> None:
    with pyflink_stand_in():
        found: dict[str, object] = {}
        exec(
            "import pyflink.datastream as ds\n"
            "from pyflink.datastream import *\n"
            "from pyflink.common.typeinfo import Types\n"
            "from pyflink.datastream.functions import KeyedProcessFunction, RuntimeContext, ValueStateDescriptor\n"
            "import pyflink.datastream.connectors.kafka\n",
            found,
        )
        assert found["StreamExecutionEnvironment"] is found["ds"].StreamExecutionEnvironment  # type: ignore[attr-defined]
        assert found["ds"].functions.MapFunction is found["MapFunction"]  # type: ignore[attr-defined]


def test_function_classes_and_contexts_take_type_arguments(tmp_path: Path) -> None:
    body = (
        "from typing import Iterable\n"
        "from pyflink.datastream.functions import ProcessWindowFunction, KEY, W\n"
        "from pyflink.datastream.window import TimeWindow, TumblingEventTimeWindows\n"
        "class F(ProcessWindowFunction[tuple, str, str, TimeWindow]):\n"
        "    def process(self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable):\n"
        "        return []\n"
        "lines.key_by(len).window(TumblingEventTimeWindows.of(Time.seconds(1))).process(F()).print()"
    )
    assert "TumblingEventTimeWindows, Map" in [n.name for n in plan_of(tmp_path, body).stream_graph.nodes]


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("from pyflink.datastream import TimeCharacteristic", "cannot import name", "PyFlink has it up to 1.20"),
        ("env.set_stream_time_characteristic(1)", "no attribute", "PyFlink has it up to 1.20, 2.3 has not"),
        ("lines.mapp(str)", "no attribute 'mapp'", "did you mean `map`"),
        ("from pyflink.datastream.connectors.mongodb import X", "No module named", "no module"),
        ("from pyflink.table import TableEnvironment\nTableEnvironment.create(None)", "Table API", "--python PATH"),
        ("from pyflink.java_gateway import get_gateway\nfrom pyflink.datastream.connectors.base import Source\n"
         "env.from_source(Source(get_gateway().jvm.org.Mine()), None, 'x')", "made of an object of Java", "connectors"),
        ("open('/no/such/file')", "FileNotFoundError", "in a function's open()"),
        ("import os\nos.environ['NO_SUCH_TOPIC']", "NO_SUCH_TOPIC", "NO_SUCH_TOPIC=VALUE plan explain"),
        (
            "from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer\nFlinkKafkaConsumer('a', None, {})",
            "no Java class",
            "KafkaSource",
        ),
        ("lines.key_by(len).process(len)", "KeyedProcessFunction is required", ""),
        ("lines.key_by(len).name('x')", "not supported", ""),
        ("lines.rebalance().name('x')", "this stream is a rebalance", "before or after"),
        ("lines.set_parallelism(2)", "must be 1", "from_collection"),
        ("lines.map(str).union(lines)", "different types", ""),
        ("env.add_jars('/opt/kafka.jar')", "has no protocol", "write file:///opt/kafka.jar"),
        ("env.add_classpaths('lib')", "has no protocol", "file:///"),
        ("from pyflink.datastream.connectors import KafkaSink", "cannot import name 'KafkaSink'",
         "import it from pyflink.datastream.connectors.kafka"),
        ("from pyflink.datastream.window import *\nTumblingEventTimeWindows.of(5)", "milliseconds", "Time.seconds(5)"),
        ("env.get_config().disable_generic_types()", "a method that Flink 2 does not have", "pipeline."),
        ("env.enable_checkpointing(5)", "larger than or equal to 10 ms", "milliseconds"),
        ("env.from_collection([1], Types.DOUBLE())", "1 is no Double", ""),
        ("env.from_collection([(1, 2, 3)], Types.TUPLE([Types.INT()]))", "has 3 values", ""),
        ("env.from_collection(['a', None], Types.STRING())", "takes no None", ""),
        ("lines.assign_timestamps_and_watermarks("
         "WatermarkStrategy.no_watermarks().with_timestamp_assigner(lambda v, t: t))", "'extract_timestamp'", ""),
        ("lines.add_sink(print)", "get_java_function", ""),
        ("from pyflink.datastream.functions import SinkFunction\nclass S(SinkFunction):\n"
         "    def __init__(self): pass\nlines.add_sink(S())", "S has no Java function", "map() or process()"),
        ("from pyflink.datastream.connectors.kafka import KafkaSource\n"
         "KafkaSource.builder().set_bootstrap_servers('a:1').build()", "No subscribe mode", "set_topics"),
        ("from pyflink.common.serialization import DeserializationSchema\n"
         "from pyflink.datastream.connectors.kafka import KafkaSource\nclass Mine(DeserializationSchema): pass\n"
         "KafkaSource.builder().set_topics('a').set_bootstrap_servers('a:1').set_value_only_deserializer(Mine()).build()",
         "Mine is a schema written in Python", "in a map()"),
        ("from pyflink.datastream.connectors.kafka import KafkaSource\n"
         "KafkaSource.builder().set_topics(['a']).build()", "one by one", "set_topics(*topics)"),
        ("from pyflink.datastream.connectors.kafka import KafkaSource\n"
         "KafkaSource.builder().set_topics('a').set_bootstrap_servers('a:1').set_value_only_deserializer(str).build()",
         "_j_deserialization_schema", ""),
        ("from pyflink.common.serialization import SimpleStringSchema\n"
         "from pyflink.datastream.connectors.file_system import StreamingFileSink\n"
         "lines.add_sink(StreamingFileSink.for_row_format('/out', SimpleStringSchema()).build())",
         "'SimpleStringSchema' object has no attribute '_j_encoder'", "Encoder.simple_string_encoder()"),
        ("from pyflink.datastream.connectors.kafka import KafkaSink, DeliveryGuarantee\n"
         "KafkaSink.builder().set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).build()",
         "transactional id prefix", "set_transactional_id_prefix"),
        ("from pyflink.datastream.connectors.kafka import KafkaSink\n"
         "lines.sink_to(KafkaSink.builder())", "get_java_function", ""),
        ("from pyflink.datastream.window import CountTrigger, GlobalWindows\n"
         "lines.key_by(len).window(GlobalWindows.create()).aggregate(len)", "must be a pyflink", ""),
        ("lines.project(0)", "Only Tuple", ""),
        ("import sys\nsys.argv[1]", "IndexError", "after `--`"),
        ("import argparse\np = argparse.ArgumentParser()\np.add_argument('--in', required=True)\np.parse_args()",
         "asks for arguments: the following arguments are required: --in", "after `--`"),
    ],
)  # fmt: skip
def test_what_pyflink_refuses_is_one_message_with_its_place(
    body: str, message: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = write_script(tmp_path, body)
    with pytest.raises(JobDefinitionError) as refused:
        plans_of(script, LoadOptions(flink="2.3"))  # without a version, what only 1.x has is planned for 1.20
    assert message in refused.value.message
    assert hint in (refused.value.hint or "")
    assert refused.value.location is not None
    assert refused.value.location.line == 6 + len(body.splitlines())
    assert capsys.readouterr().err == ""


def test_names_of_other_apis_may_be_imported_and_not_used(tmp_path: Path) -> None:
    body = "from pyflink.table import DataTypes, StreamTableEnvironment\nDataTypes.ROW([])\nlines.print()"
    assert plan_of(tmp_path, body).stream_graph.nodes
