"""The jobs of a script: several of them, their parallelism, what only runs depend on, the other API."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from planner.errors import JobDefinitionError, PlanningError
from planner.explanation.explain import explain_plan
from planner.frontends.python_files.handover import LoadOptions
from planner.frontends.python_loader import load_python
from tests.support.pyflink_scripts import names, plan_of, plans_of, write_script


def test_jobs_are_picked_by_number_and_the_script_goes_on(tmp_path: Path) -> None:
    body = (
        "lines.print()\n"
        "result = env.execute()\n"
        "assert result.get_net_runtime() == 0\n"
        "with lines.map(str).execute_and_collect() as found:\n"
        "    assert list(found) == []\n"
        "lines.filter(bool).print()\n"
        "assert env.execute_async('last').get_job_status().result().name == 'FINISHED'"
    )
    script = write_script(tmp_path, body, execute=False)
    with pytest.raises(JobDefinitionError, match="3 jobs: unnamed") as several:
        load_python(script)
    assert f"{script}:1, {script}:2, {script}:3" in (several.value.hint or "")
    assert load_python(script, "2").name == "DataStream Collect"
    assert load_python(script, "last").name == "last"
    first, second, third = plans_of(script)
    assert names(first) == ["Source: Collection Source", "Sink: Print to Std. Out"]
    assert names(second)[-1] == "Sink: Data stream collect sink"
    assert [node.id for node in third.stream_graph.nodes] == [1, 5, 6]  # the counter goes on


@pytest.mark.parametrize(
    ("body", "options", "parallelism", "origin"),
    [
        ("", LoadOptions(), 1, "nothing sets it"),
        ("", LoadOptions(parallelism=3, parallelism_origin="--parallelism"), 3, "--parallelism"),
        ("env.set_parallelism(2)\n", LoadOptions(parallelism=3), 2, "set_parallelism at"),
        ("env.get_config().set_parallelism(2)\n", LoadOptions(parallelism=3), 2, "set_parallelism at"),
        (
            "config = Configuration()\nconfig.set_string('parallelism.default', '5')\nenv.configure(config)\n",
            LoadOptions(parallelism=3),
            5,
            "parallelism.default at",
        ),
    ],
)
def test_the_default_parallelism_says_where_it_comes_from(
    body: str, options: LoadOptions, parallelism: int, origin: str, tmp_path: Path
) -> None:
    found = plan_of(tmp_path, body + "lines.map(str).print()", options)
    assert found.stream_graph.nodes[-1].parallelism == parallelism
    assert origin in (found.written.parallelism_origin or "")


def test_what_only_runs_depend_on_is_recorded(tmp_path: Path) -> None:
    body = (
        "env.enable_checkpointing(1000)\n"
        "env.get_checkpoint_config().set_min_pause_between_checkpoints(500)\n"
        "env.add_jars('file:///x.jar')\n"
        "lines.print()"
    )
    recorded = " ".join(plan_of(tmp_path, body).written.recorded)
    assert "enable_checkpointing(1000)" in recorded
    assert "set_min_pause_between_checkpoints(500)" in recorded
    assert "x.jar" in recorded


def test_the_same_script_as_java_would_compile_it(tmp_path: Path) -> None:
    body = "lines.map(str).key_by(len).reduce(max).print()"
    python = plan_of(tmp_path, body)
    java = plan_of(tmp_path, body, LoadOptions(api="java"))
    assert names(python)[1:3] == ["Sink: Print to Std. Out", "Map, _stream_key_by_map_operator"]
    assert names(java) == ["Source: Collection Source", "Map", "Keyed Reduce", "Sink: Print to Std. Out"]


def test_a_job_of_our_own_api_as_pyflink_would_compile_it(tmp_path: Path) -> None:
    head = (
        "from planner import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
    )
    body = "env.from_collection(['a']).map(str).key_by(len).sum(0).print()"
    script = write_script(tmp_path, body, head=head)
    (java,) = plans_of(script)
    (python,) = plans_of(script, LoadOptions(api="pyflink"))
    assert "Keyed Aggregation" in names(java)
    assert "Map, _stream_key_by_map_operator" in names(python)
    assert {node.operator.location.line for node in python.stream_graph.nodes} == {3}


def test_arguments_reach_the_script(tmp_path: Path) -> None:
    body = "import sys\nenv.set_parallelism(int(sys.argv[1]))\nlines.map(str).print()"
    assert plan_of(tmp_path, body, LoadOptions(arguments=("4",))).stream_graph.nodes[-1].parallelism == 4


def test_connectors_are_shown_without_their_secrets(tmp_path: Path) -> None:
    body = (
        "from pyflink.common import SimpleStringSchema\n"
        "from pyflink.datastream.connectors.kafka import KafkaSource\n"
        "source = (KafkaSource.builder().set_topics('orders').set_bootstrap_servers('a:1')\n"
        "          .set_property('sasl.jaas.config', 'hunter2')\n"
        "          .set_value_only_deserializer(SimpleStringSchema()).build())\n"
        "env.from_source(source, WatermarkStrategy.no_watermarks(), 'kafka').print()"
    )
    explained = explain_plan(plan_of(tmp_path, body)).python
    assert explained is not None
    ((part, calls),) = explained.connectors
    assert part.name == "kafka"
    assert "set_topics(['orders'])" in calls
    assert "hunter2" not in calls


def test_files_of_an_input_format_are_found_by_one_operator_and_read_by_another(tmp_path: Path) -> None:
    body = (
        "from pyflink.datastream.formats.avro import AvroInputFormat, AvroSchema\n"
        "schema = AvroSchema.parse_string('{}')\n"
        "env.create_input(AvroInputFormat('/in', schema)).map(str).print()"
    )
    found = plan_of(tmp_path, body, LoadOptions(parallelism=2))
    assert [(n.name, n.parallelism, n.chaining_strategy) for n in found.stream_graph.nodes] == [
        ("Source: Custom File source", 1, "HEAD"),
        ("Split Reader: Custom File source", 2, "HEAD"),
        ("Sink: Print to Std. Out", 2, "ALWAYS"),
        ("Map, Map", 2, "ALWAYS"),
    ]


def test_a_script_can_read_its_plan_and_set_the_default_of_later_environments(tmp_path: Path) -> None:
    body = (
        "import json\n"
        "lines.map(str).print()\n"
        "nodes = json.loads(env.get_execution_plan())['nodes']\n"
        "assert nodes[0]['pact'] == 'Data Source'\n"
        "assert nodes[-1]['predecessors'][0]['ship_strategy'] == 'FORWARD'\n"
        "env.set_default_local_parallelism(3)\n"
        "assert env.get_parallelism() == 1\n"
        "later = StreamExecutionEnvironment.get_execution_environment()\n"
        "later.from_collection([1]).map(str).print()\n"
        "later.execute()"
    )
    (found,) = plans_of(write_script(tmp_path, body, execute=False))
    assert [node.parallelism for node in found.stream_graph.nodes] == [1, 3, 3]
    assert "set_default_local_parallelism at" in (found.job.parallelism_origin or "")


def test_sources_that_only_java_has_are_reached_as_scripts_do(tmp_path: Path) -> None:
    body = (
        "from pyflink.datastream import DataStream\n"
        "java = env._j_stream_execution_environment\n"
        "java.setParallelism(2)\n"
        "java.getConfig().setMaxParallelism(64)\n"
        "DataStream(java.socketTextStream('host', 9999, '\\n', 0)).map(str).print()\n"
        "numbers = DataStream(java.fromSequence(1, 9))\n"
        "DataStream(numbers._j_data_stream.rebalance()).print()"
    )
    found = plan_of(tmp_path, body)
    assert [(n.name, n.parallelism, n.max_parallelism) for n in found.stream_graph.nodes] == [
        ("Source: Socket Stream", 1, 64),
        ("Sink: Print to Std. Out", 2, 64),
        ("Source: Sequence Source", 2, 64),
        ("Sink: Print to Std. Out", 2, 64),
        ("Map, Map", 2, 64),
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("env._j_stream_execution_environment.readTextFile('/in')", "readTextFile does not exist"),
        ("lines._j_data_stream.keyBy(None)", "keyBy() on a stream of Java"),
        ("from pyflink.datastream import DataStream\nDataStream(3)", "not of a int"),
        ("lines.key_by(len, Types.PRIMITIVE_ARRAY(Types.BYTE()))", "cannot be used as key"),
        ("lines.key_by(len, Types.ROW([Types.TUPLE([Types.BASIC_ARRAY(Types.STRING())])]))", "cannot be used as key"),
    ],
)
def test_what_java_would_have_to_do_is_refused(body: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(JobDefinitionError) as refused:
        plan_of(tmp_path, body, LoadOptions(flink="2.3"))
    assert said in refused.value.message


def test_calls_on_java_are_shown_and_a_sink_of_java_is_a_sink(tmp_path: Path) -> None:
    body = (
        "from pyflink.datastream.functions import SinkFunction\n"
        "from pyflink.java_gateway import get_gateway\n"
        "jvm = get_gateway().jvm\n"
        "jvm.java.lang.System.setProperty('a', 'b')\n"
        "lines.add_sink(SinkFunction(jvm.org.example.Table('orders'))).name('table')"
    )
    found = plan_of(tmp_path, body)
    assert names(found) == ["Source: Collection Source", "Sink: table"]
    assert "get_gateway().jvm.java.lang.System.setProperty('a', 'b')" in found.job.recorded
    assert plan_of(tmp_path, "lines.print()").job.recorded == ()


def test_exactly_once_sinks_are_kept_together_by_their_prefix(tmp_path: Path) -> None:
    body = (
        "from pyflink.common import SimpleStringSchema\n"
        "from pyflink.datastream.connectors.kafka import (\n"
        "    DeliveryGuarantee, KafkaRecordSerializationSchema, KafkaSink)\n"
        "values = KafkaRecordSerializationSchema.builder().set_topic('t')\n"
        "values = values.set_value_serialization_schema(SimpleStringSchema()).build()\n"
        "def sink(prefix):\n"
        "    made = KafkaSink.builder().set_bootstrap_servers('a:1').set_record_serializer(values)\n"
        "    made = made.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)\n"
        "    return made.set_transactional_id_prefix(prefix).build()\n"
        "lines.sink_to(sink('p')).slot_sharing_group('a')\n"
        "lines.sink_to(sink('p')).slot_sharing_group('b')"
    )
    with pytest.raises(PlanningError, match='co-location group "p"'):
        plan_of(tmp_path, body)
    assert plan_of(tmp_path, body.replace("sink('p')).slot_sharing_group('b')", "sink('q')).slot_sharing_group('b')"))


def test_a_schema_that_a_script_extends_keeps_its_type(tmp_path: Path) -> None:
    body = (
        "from pyflink.common import SimpleStringSchema\n"
        "from pyflink.datastream.connectors.kafka import KafkaSource\n"
        "class Mine(SimpleStringSchema):\n"
        "    def deserialize(self, message): return 1\n"
        "source = KafkaSource.builder().set_topics('a').set_bootstrap_servers('a:1')\n"
        "source = source.set_value_only_deserializer(Mine()).build()\n"
        "env.from_source(source, WatermarkStrategy.no_watermarks(), 'kafka').print()"
    )
    assert names(plan_of(tmp_path, body)) == ["Source: kafka", "Sink: Print to Std. Out"]


def test_a_script_that_waits_is_loaded_at_once(tmp_path: Path) -> None:
    body = "import time\nfrom time import sleep\nsleep(1000)\ntime.sleep(1000)\nlines.map(lambda v: sleep(v)).print()"
    found = plan_of(tmp_path, body)
    (part,) = [part for part in found.job.operators[1].merged or () if part.key == "map-1"]
    assert part.behaviour.target.__globals__["sleep"] is time.sleep  # type: ignore[union-attr]
