"""Merge conditions: each has a script where it alone does not hold, and every pair says which."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import PlanningError
from planner.explanation.explain import explain_plan
from planner.explanation.python_pairs import select_pairs
from planner.explanation.settings import apply_settings
from planner.frontends.python_files.handover import LoadOptions
from planner.merging.registry import RULES
from planner.operators import describe_written, merged_keys
from planner.pipeline import Plan, plan
from tests.support.pyflink_scripts import names, plan_of, plans_of, write_script

OFF = "config = Configuration()\nconfig.set_boolean('python.operator-chaining.enabled', False)\nenv.configure(config)\n"
BROADCAST = (
    "from pyflink.datastream.functions import BroadcastProcessFunction\n"
    "from pyflink.datastream.state import MapStateDescriptor\n"
    "class B(BroadcastProcessFunction):\n"
    "    def process_element(self, v, c): yield v\n"
    "    def process_broadcast_element(self, v, c): pass\n"
    "rules = lines.broadcast(MapStateDescriptor('r', Types.STRING(), Types.STRING()))\n"
)
CONNECT = (
    "from pyflink.datastream.functions import CoMapFunction\n"
    "class C(CoMapFunction):\n"
    "    def map1(self, v): return v\n"
    "    def map2(self, v): return v\n"
)


@pytest.mark.parametrize(
    ("body", "pair", "codes"),
    [
        (OFF + "lines.map(str).filter(bool).print()", "map-1:filter-1", ["PM001"]),
        ("lines.key_by(len).filter(bool).print()", "key_by-1:filter-1", ["PM002", "PM005"]),
        (CONNECT + "lines.map(str).connect(lines).map(C()).print()", "map-1:co_map-1", ["PM003"]),
        (
            BROADCAST + "lines.connect(rules).process(B()).filter(bool).print()",
            "broadcast_process-1:filter-1",
            ["PM004"],
        ),
        ("lines.map(str).rebalance().filter(bool).print()", "map-1:filter-1", ["PM005"]),
        ("lines.map(str).set_parallelism(2).filter(bool).print()", "map-1:filter-1", ["PM006"]),
        ("lines.map(str).set_max_parallelism(8).filter(bool).print()", "map-1:filter-1", ["PM007"]),
        ("lines.map(str).slot_sharing_group('a').filter(bool).print()", "map-1:filter-1", ["PM008"]),
        ("lines.map(str).disable_chaining().filter(bool).print()", "map-1:filter-1", ["PM009"]),
        ("lines.map(str).filter(bool).start_new_chain().print()", "map-1:filter-1", ["PM010"]),
        ("m = lines.map(str)\nm.filter(bool).print()\nm.rebalance().print()", "map-1:filter-1", ["PM011"]),
    ],
)
def test_the_condition_that_does_not_hold_is_named(body: str, pair: str, codes: list[str], tmp_path: Path) -> None:
    found = plan_of(tmp_path, body)
    (checked,) = select_pairs(found, pair)
    assert not checked.merged
    assert [condition.code for condition in checked.conditions if not condition.holds] == codes
    assert [condition.code for condition in checked.conditions] == [rule.code for rule in RULES]


def test_merged_operators_hold_all_conditions_and_lead_to_their_lines(tmp_path: Path) -> None:
    found = plan_of(tmp_path, "a = lines.map(str)\nb = a.filter(bool)\nb.key_by(len).reduce(max).print()")
    assert "Map, Filter, _stream_key_by_map_operator" in names(found)
    explained = explain_plan(found).python
    assert explained is not None
    (merged,) = [one for one in explained.merged if "Filter" in one.name]
    assert [part.location.line for part in merged.parts] == [7, 8, 9]
    assert "str (map-1), bool (filter-1) and key_by-1 run in one Python process" in merged.reason
    assert merged.parts[-1].helper is not None
    (inside,) = select_pairs(found, "map-1:filter-1")
    assert inside.merged
    assert all(condition.holds for condition in inside.conditions)


def _with(found: Plan, *settings: str) -> Plan:
    return plan(apply_settings(found.written, describe_written(found), settings, merged_keys(found)))


def test_what_if_merges_again(tmp_path: Path) -> None:
    found = plan_of(tmp_path, "lines.map(str).set_parallelism(2).filter(bool).print()")
    assert "Map" in names(found)
    assert "Map, Filter, Map" in names(_with(found, "map-1.parallelism=1"))
    merged = plan_of(tmp_path, "lines.map(str).filter(bool).print()")
    apart = _with(merged, "filter-1.chaining=start_new")
    assert {"Map", "Filter, Map"} <= set(names(apart))
    wider = _with(merged, "map-1, filter-1, print_text-1.parallelism=3")
    assert [node.parallelism for node in wider.stream_graph.nodes if node.name.startswith("Map,")] == [3]


def test_what_pyflink_cannot_merge_is_refused(tmp_path: Path) -> None:
    body = BROADCAST + "lines.map(str).filter(bool).connect(rules).process(B()).print()"
    with pytest.raises(PlanningError, match="regularInput"):
        plan_of(tmp_path, body)
    custom = CONNECT + "lines.partition_custom(lambda k, n: 0, len).connect(lines).map(C()).print()"
    with pytest.raises(PlanningError, match="NoSuchFieldException: input"):
        plan_of(tmp_path, custom)


def test_a_stream_of_an_executed_job_cannot_be_collected(tmp_path: Path) -> None:
    body = "pairs = lines.map(str).map(str)\npairs.print()\nenv.execute()\npairs.execute_and_collect()"
    with pytest.raises(PlanningError, match="NullPointerException") as refused:
        plans_of(write_script(tmp_path, body, execute=False))
    assert refused.value.location is not None
    assert refused.value.location.line == 10


def test_groups_are_compared_by_their_resources_not_by_their_names(tmp_path: Path) -> None:
    head = "from pyflink.datastream import SlotSharingGroup\ndef group(name, cores):\n"
    head += "    return SlotSharingGroup.builder(name).set_cpu_cores(cores).set_task_heap_memory_mb(9).build()\n"
    found = plan_of(tmp_path, "lines.map(str).slot_sharing_group('a').filter(bool).slot_sharing_group('b').print()")
    assert [node.slot_sharing_group for node in found.stream_graph.nodes if node.name == "Map, Filter"] == ["a"]
    equal = (
        "lines.map(str).slot_sharing_group(group('a', 1.0)).filter(bool).slot_sharing_group(group('b', 1.0)).print()"
    )
    assert "Map, Filter" in names(plan_of(tmp_path, head + equal))
    other = equal.replace("group('b', 1.0)", "group('b', 2.0)")
    assert "Map, Filter" not in names(plan_of(tmp_path, head + other))
    with pytest.raises(PlanningError, match="two different resource specs"):
        plan_of(tmp_path, head + other.replace("'b'", "'a'"))


def test_a_helper_takes_its_neighbours_group_with_the_resources(tmp_path: Path) -> None:
    body = (
        "from pyflink.datastream import SlotSharingGroup\n"
        "group = SlotSharingGroup.builder('a').set_cpu_cores(1.0).set_task_heap_memory_mb(9).build()\n"
        "lines.map(str).slot_sharing_group(group).key_by(len).reduce(max).print()"
    )
    assert "Map, _stream_key_by_map_operator" in names(plan_of(tmp_path, body))


def test_an_empty_name_and_an_empty_uid_stay_empty_in_flink_1x(tmp_path: Path) -> None:
    """As real PyFlink 1.20.5 names it; the operator is told by a key, since its uid says nothing."""
    found = plan_of(tmp_path, "lines.map(len).name('').uid('').print()", LoadOptions(flink="1.20"))
    assert ", Map" in names(found)
    assert merged_keys(found) == {"map-1, print_text-1": ("map-1", "print_text-1")}


def test_a_writer_of_another_parallelism_than_the_helper_that_it_reads(tmp_path: Path) -> None:
    """PyFlink ties its helper to the last reader; Flink's writers do not see the tie, so they rebalance."""
    body = (
        "from pyflink.common import Encoder\nfrom pyflink.datastream.connectors.file_system import FileSink\n"
        "parts = lines.map(str, Types.STRING()).partition_custom(lambda k, n: 0, lambda v: v)\n"
        "files = FileSink.for_row_format('/out', Encoder.simple_string_encoder()).build()\n"
        "parts.sink_to(files).set_parallelism(1)\nparts.print().set_parallelism(2)"
    )
    graph = plan_of(tmp_path, body).stream_graph
    name = {node.id: node.name for node in graph.nodes}
    found = {name[edge.target]: edge.partitioner for edge in graph.edges if "values" in name[edge.source]}
    assert found == {"Sink: Writer": "REBALANCE", "Sink: Print to Std. Out": "FORWARD"}
