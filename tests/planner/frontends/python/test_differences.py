"""What a file that imports `planner` may write and one that imports `pyflink` may not: the classes are the same."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import pytest

import planner
from planner.errors import JobDefinitionError, PlanError
from planner.frontends.loading import LoadOptions, load_job
from planner.frontends.python.api import BY_HAND, DECLARED
from planner.frontends.python.stand_in import pyflink_stand_in
from planner.frontends.python.versions import MODULES as OF_VERSIONS
from planner.frontends.python.versions import has
from planner.job import JobDefinition
from planner.pipeline import plan


@pytest.fixture
def pyflink() -> Iterator[Any]:
    """The rules of a file that imports `pyflink`."""
    with pyflink_stand_in():
        yield importlib.import_module("pyflink.datastream")


MODULES = [module for module in {**BY_HAND, **DECLARED} if has(OF_VERSIONS.get(module))]
SHARED = (
    "AggregateFunction AsyncFunction CountTrigger DataStream Duration EventTimeSessionWindows KafkaSource "
    "KeyedProcessFunction KeyedStream MapFunction MapStateDescriptor OutputTag ProcessWindowFunction Row "
    "SinkFunction StateTtlConfig StreamExecutionEnvironment Time TimestampAssigner Trigger "
    "TumblingEventTimeWindows TypeInformation Types ValueStateDescriptor WatermarkStrategy "
)


@pytest.mark.parametrize("name", SHARED.split())
def test_both_names_are_one_class(name: str, pyflink: Any) -> None:
    found = [getattr(importlib.import_module(f"pyflink.{module}"), name, None) for module in MODULES]
    assert {one for one in found if one is not None} == {getattr(planner, name)}


LENGTHS = [5000, timedelta(seconds=5), planner.Duration.of_seconds(5), planner.Time.seconds(5)]


@pytest.mark.parametrize("length", LENGTHS)
def test_lengths_of_time(length: Any) -> None:
    assert repr(planner.TumblingEventTimeWindows.of(length)) == "TumblingEventTimeWindows(5000, 0)"
    assert planner.WatermarkStrategy.for_bounded_out_of_orderness(length).out_of_orderness == 5000


def test_a_wrong_length_is_told_at_its_line() -> None:
    with pytest.raises(JobDefinitionError, match="must be a Time or Duration, found 'soon'"):
        planner.TumblingEventTimeWindows.of("soon")


def test_pyflink_takes_a_time_for_windows_and_a_duration_for_watermarks(pyflink: Any) -> None:
    for length in LENGTHS[:3]:
        with pytest.raises(AttributeError, match="to_milliseconds"):
            planner.TumblingEventTimeWindows.of(length)
    for length in (*LENGTHS[:2], LENGTHS[3]):
        with pytest.raises(AttributeError, match="_j_duration"):
            planner.WatermarkStrategy.for_bounded_out_of_orderness(length)


class Half(planner.CoMapFunction):
    def map1(self, value: Any) -> Any:
        return value


class Often(planner.Trigger):
    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> planner.TriggerResult:
        return planner.TriggerResult.FIRE


def test_methods_that_are_never_called_may_be_left_out() -> None:
    assert Half().map1(1) == 1
    with pytest.raises(NotImplementedError, match=r"Half does not define map2\(\)"):
        Half().map2(1)
    assert Often().on_event_time(0, None, None) is planner.TriggerResult.CONTINUE


def test_pyflinks_abstract_methods_must_be_there(pyflink: Any) -> None:
    with pytest.raises(TypeError, match="abstract class Half with abstract method map2"):
        Half()
    with pytest.raises(TypeError, match="abstract class Often"):
        Often()


def test_types_of_state_descriptors_may_be_left_out() -> None:
    assert planner.MapStateDescriptor("rules").key_type_info is None


def test_pyflinks_state_descriptors_have_a_type(pyflink: Any) -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'key_type_info'"):
        planner.MapStateDescriptor("rules")


def test_a_strategy_keeps_its_assigner_as_in_java() -> None:
    strategy = planner.WatermarkStrategy.for_monotonous_timestamps()
    assert strategy.with_timestamp_assigner("at").with_idleness(5)._timestamp_assigner == "at"
    assert strategy._timestamp_assigner is None


def test_pyflinks_strategy_loses_its_assigner(pyflink: Any) -> None:
    strategy = planner.WatermarkStrategy.for_monotonous_timestamps()
    idle = strategy.with_timestamp_assigner("at").with_idleness(planner.Duration.of_seconds(5))
    assert (strategy._timestamp_assigner, idle._timestamp_assigner, idle.lost) == ("at", None, "with_idleness")


PLANNER = "from planner import *\n"
PYFLINK = """\
from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import OutputTag, StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
"""
BEGIN = """\
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
s = env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), "numbers")
"""


def job(folder: Path, imports: str, body: str, api: Literal["java", "pyflink"] | None = None) -> JobDefinition:
    path = folder / "job.py"
    path.write_text(f"{imports}{BEGIN}{body}\nenv.execute('job')\n", encoding="utf-8")
    return load_job(path, LoadOptions(api=api))


ONLY_OURS = [
    ("s.map({'doubled': 'value * 2'}).print()", "must be a MapFunction or a callable"),
    ("s.filter('value > 3').print()", "must be a FilterFunction or a callable"),
    ("s.key_by('value').sum('value').print()", "should be type of KeySelector or a callable"),
    ("s.key_by(['value']).sum('value').print()", "should be type of KeySelector or a callable"),
    ("s.partition_custom(lambda k, n: 0, 'value').print()", "should be type of KeySelector or a callable"),
    ("s.key_by(lambda v: v).process(lambda v: [v]).print()", "KeyedProcessFunction is required"),
    ("s.connect(s).map(lambda v: v).print()", "must be a CoMapFunction"),
    ("env.from_collection([1.5], Types.INT()).print()", "Java does not convert"),
    ("s.map(str, Types.STRING()).union(s).print()", "Cannot union streams of different types"),
    ("s.global_().print()", "has no attribute 'global_'"),
    ("s.async_map(str).print()", "has no attribute 'async_map'"),
    ("env.from_sequence(1, 3).print()", "has no attribute 'from_sequence'"),
    ("s.print().set_max_parallelism(4)", "has no attribute 'set_max_parallelism'"),
    ("s.set_co_location_group('g').print()", "has no attribute 'set_co_location_group'"),
    ("env.read_text_file('lines.txt').print()", "planned for Flink 1.20"),
]


@pytest.mark.parametrize(("body", "refusal"), ONLY_OURS)
def test_a_planner_job_may_write_more(body: str, refusal: str, tmp_path: Path) -> None:
    assert job(tmp_path, PLANNER, body).python is None
    try:
        found = job(tmp_path, PYFLINK, body).notes  # read_text_file: for an older version
    except PlanError as error:
        found = (str(error),)
    assert refusal in found[0]


ONLY_THEIRS = [
    "s.map(lambda v: (v, v), Types.TUPLE([Types.LONG(), Types.LONG()])).project(1).print()",
    "s.key_by(lambda v: v).min_by(0).print()",
    "s.key_by(lambda v: v).max_by(0).print()",
    "s.cache().print()",
]


@pytest.mark.parametrize("body", ONLY_THEIRS)
def test_what_no_run_of_a_planner_job_would_follow_is_refused(body: str, tmp_path: Path) -> None:
    assert job(tmp_path, PYFLINK, body).python is not None
    with pytest.raises(JobDefinitionError, match=r"is for PyFlink scripts only") as caught:
        job(tmp_path, PLANNER, body)
    assert caught.value.location is not None and caught.value.location.line == 5


def kinds(found: JobDefinition) -> list[str]:
    return [getattr(step, "kind", type(step).__name__) for step in found.transformations]


def test_sources_that_nobody_reads_stay_in_the_plan_of_a_planner_job(tmp_path: Path) -> None:
    body = "env.from_collection([1]); s.print()"
    assert kinds(job(tmp_path, PLANNER, body)) == ["source", "source", "print"]
    assert kinds(job(tmp_path, PYFLINK, body)).count("source") == 1


def test_keying_again_begins_at_the_keyed_stream_as_in_java(tmp_path: Path) -> None:
    body = "s.key_by(lambda v: v).key_by(lambda v: -v).sum().print()"
    assert kinds(job(tmp_path, PLANNER, body)) == ["source", "Partition", "Partition", "sum", "print"]
    assert kinds(job(tmp_path, PYFLINK, body, "java")) == ["source", "Partition", "sum", "print"]


@pytest.mark.parametrize("api", [None, "java"])
@pytest.mark.parametrize("imports", [PLANNER, PYFLINK])
def test_what_print_puts_before_records_does_not_name_the_sink(tmp_path: Path, imports: str, api: Any) -> None:
    made = job(tmp_path, imports, "s.print('shown')", api)
    assert made.operators[-1].identifier == "shown"
    assert plan(made).stream_graph.nodes[-1].name == "Sink: Print to Std. Out"


def test_a_setting_where_no_operator_is_is_told_at_its_line(tmp_path: Path) -> None:
    for body in ("s.rebalance().name('x').print()", "s.key_by(lambda v: v).name('x')"):
        with pytest.raises(JobDefinitionError, match="belongs to an operator") as caught:
            job(tmp_path, PLANNER, body)
        assert caught.value.location is not None and caught.value.location.line == 5
    with pytest.raises(PlanError, match="Set name for KeyedStream is not supported"):
        job(tmp_path, PYFLINK, "s.key_by(lambda v: v).name('x')")


WORDS = """\
pair = Types.TUPLE([Types.STRING(), Types.INT()])
counted = s.map(str, Types.STRING()).flat_map(str.split, Types.STRING()).map(lambda w: (w, 1), pair)
counted.key_by(lambda pair: pair[0], Types.STRING()).sum(1).print()"""


def test_one_job_has_one_plan_in_each_translation_whatever_it_imports(tmp_path: Path) -> None:
    for api in ("java", "pyflink"):
        ours, theirs = (plan(job(tmp_path, imports, WORDS, api)).to_dict() for imports in (PLANNER, PYFLINK))  # type: ignore[arg-type]
        assert without_lines(ours) == without_lines(theirs)


def without_lines(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: without_lines(value) for key, value in document.items() if key != "location"}
    return [without_lines(value) for value in document] if isinstance(document, list) else document


def test_sparks_readers_and_writers_can_be_given_in_a_script(tmp_path: Path) -> None:
    extra = "from planner import ReaderSource, WriterSink\n"
    reads = "env.from_source(ReaderSource('csv', 'a'), WatermarkStrategy.no_watermarks(), 'in', Types.STRING())"
    found = job(tmp_path, PYFLINK + extra, f"{reads}.sink_to(WriterSink('parquet', 'b'))")
    assert [type(one.behaviour).__name__ for one in found.operators] == ["Reader", "Writer"]
    assert found.python is not None
