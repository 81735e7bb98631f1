"""Every rule: a job on which it fires, and one, as near as possible, on which it does not."""

from __future__ import annotations

import pytest

from cli.render.styled import plain
from cli.render.text.explanation import edge_explained
from planner import load_plan
from planner.explanation.explain import explain_plan
from planner.lint.registry import RULES
from tests.support.project import Project

CLEAN = """
name: clean
parallelism: 2
max_parallelism: 128
operators:
  - {id: orders, type: source, uid: orders}
  - {id: parse, type: map, input: orders}
  - {id: totals, type: sum, input: parse, key_by: user, uid: totals}
  - {id: out, type: print, input: totals}
"""

# code, what is replaced in CLEAN, by what makes the rule speak, and by what comes close and does not
ON_THE_JOB = {
    "PL101": ("key_by: user, uid: totals", "key_by: user", "key_by: user, uid: sums"),
    "PL102": (
        "input: orders}",
        "input: {from: orders, partition: rebalance}}",
        "input: {from: orders, partition: rebalance}, parallelism: 4}",
    ),
    "PL103": ("input: orders}", "input: orders, parallelism: 4}", "input: orders, parallelism: 2}"),
    "PL104": ("parallelism: 2\n", "parallelism: 110\n", "parallelism: 100\n"),
    "PL107": ("max_parallelism: 128\n", "", "max_parallelism: 720\n"),
    "PL108": (
        "- {id: out,",
        "- {id: again, type: max, input: totals, key_by: user, uid: again}\n  - {id: end, type: print, input: again}\n"
        "  - {id: out,",
        "- {id: again, type: max, input: totals, key_by: country, uid: again}\n"
        "  - {id: end, type: print, input: again}\n  - {id: out,",
    ),
    "PL109": (
        "- {id: out,",
        "- {id: lost, type: map, input: totals}\n  - {id: out,",
        "- {id: lost, type: map, input: totals}\n  - {id: end, type: print, input: lost}\n  - {id: out,",
    ),
    "PL110": ("uid: totals", f"uid: totals, uid_hash: '{'a' * 32}'", "uid: totals"),
    "PL111": ("input: orders}", "input: orders, ignore: {PL102: skewed}}", "input: orders}"),
}


def test_a_clean_job_passes_in_silence(project: Project) -> None:
    project.write("job.yaml", CLEAN)
    assert project.codes("job.yaml") == []


@pytest.mark.parametrize("code", ON_THE_JOB)
def test_fires(project: Project, code: str) -> None:
    before, fires, _ = ON_THE_JOB[code]
    assert before in CLEAN
    project.write("job.yaml", CLEAN.replace(before, fires))
    assert set(project.codes("job.yaml")) - ({"PL103"} if code == "PL104" else set()) == {code}


@pytest.mark.parametrize("code", ON_THE_JOB)
def test_does_not_fire(project: Project, code: str) -> None:
    before, _, close = ON_THE_JOB[code]
    project.write("job.yaml", CLEAN.replace(before, close))
    assert code not in project.codes("job.yaml")


@pytest.mark.parametrize(
    ("settings", "fires"),
    [("task_managers = 1\nslots = 1", True), ("task_managers = 1\nslots = 2", False), ("slots = 1", False)],
)
def test_pl106_counts_the_slots_of_the_cluster(project: Project, settings: str, fires: bool) -> None:
    project.write("pyproject.toml", f"[tool.plan.cluster]\n{settings}\n")
    project.write("job.yaml", CLEAN)
    found = project.findings("job.yaml")
    assert [finding.code for finding in found] == (["PL106"] if fires else [])
    for finding in found:
        assert "(1 task manager with 1 slots each)" in finding.message
        assert finding.fix == "lower the parallelism of group 'default' from 2, or add 1 task manager"


@pytest.mark.parametrize(
    ("managers", "buffers", "said"),
    [
        # Both subtasks of each side on one: 2 partitions of 2 + 1, 2 gates of 1; wanted are 4 times 2 x 2 + 8.
        (1, 7, "does not start with fewer than 8 network buffers, and it has 7"),
        (1, 8, "wants 48 network buffers, and it has 8"),
        (1, 47, "wants 48 network buffers, and it has 47"),
        (1, 48, None),
        # One of each on either of two: 2 + 1, and 1 + 2 for the channel between the two.
        (2, 5, "does not start with fewer than 6 network buffers, and it has 5"),
        (2, 6, "wants 24 network buffers, and it has 6"),
        (2, 24, None),
    ],
)
def test_pl105_knows_what_starts_and_what_runs_well(
    project: Project, managers: int, buffers: int, said: str | None
) -> None:
    memory = f'network_memory = "{buffers * 32}kb"'
    project.write("pyproject.toml", f"[tool.plan.cluster]\ntask_managers = {managers}\n{memory}\n")
    project.write("job.yaml", CLEAN)
    findings = project.findings("job.yaml")
    assert [finding.code for finding in findings] == (["PL105"] if said else [])
    for finding in findings:
        assert said is not None
        assert said in finding.message
        assert finding.severity == ("error" if "start" in said else "warning")
        assert "taskmanager.memory.network.min and taskmanager.memory.network.max" in (finding.fix or "")


def test_a_sources_own_parallelism_is_blamed_where_it_is_set(project: Project) -> None:
    file = project.write("job.yaml", CLEAN.replace("uid: orders}", "uid: orders, parallelism: 1}"))
    found = [finding for finding in project.findings("job.yaml") if finding.code == "PL103"]
    assert [str(finding.location) for finding in found] == [f"{file}:6:5"]
    assert found[0].fix == "set the parallelism of orders to 2"


def test_pl103_knows_sources_that_have_no_choice(project: Project) -> None:
    legacy = CLEAN.replace("uid: orders}", "uid: orders, legacy: true, parallel: false}")
    project.write("job.yaml", legacy)
    assert "PL103" not in project.codes("job.yaml")


def test_pl107_is_said_once_and_not_to_batch_jobs(project: Project) -> None:
    unset = CLEAN.replace("max_parallelism: 128\n", "")
    twice = (
        unset
        + "  - {id: more, type: min, input: parse, key_by: day, uid: more}\n  - {id: o, type: print, input: more}\n"
    )
    project.write("job.yaml", twice)
    assert project.codes("job.yaml") == ["PL107"]
    project.write("job.yaml", twice.replace("parallelism: 2", "parallelism: 2\nruntime_mode: batch", 1))
    assert "PL107" not in project.codes("job.yaml")


def test_pl108_sees_through_filters_but_not_through_maps(project: Project) -> None:
    between = (
        "- {{id: mid, type: {kind}, input: totals}}\n  - {{id: again, type: max, input: mid, key_by: user, uid: a}}\n"
    )
    hands_on = "map, select: {user: user, n: n + 1}"
    for kind, fires in (("filter", True), ("map", False), (hands_on, True), ("map, select: {user: n}", False)):
        text = CLEAN.replace(
            "- {id: out,", between.format(kind=kind) + "  - {id: e, type: print, input: again}\n  - {id: out,"
        )
        project.write("job.yaml", text)
        assert ("PL108" in project.codes("job.yaml")) is fires


def test_pl108_compares_selectors_by_what_they_compute(project: Project) -> None:
    template = """
from planner import StreamExecutionEnvironment, Types
env = StreamExecutionEnvironment.get_execution_environment()
env.set_max_parallelism(128)
pairs = env.from_collection([("a", 1)], type_info=Types.TUPLE([Types.STRING(), Types.LONG()]))
first = pairs.key_by(lambda pair: pair[0]).sum(1).uid("first")
first.key_by(lambda pair: pair[{index}]).max(1).uid("second").print()
env.execute("twice")
"""
    project.write("job.py", template.replace("{index}", "0"))
    assert project.codes("job.py") == ["PL108"]
    project.write("job.py", template.replace("{index}", "1"))
    assert project.codes("job.py") == []


def test_pl112_wants_a_reason(project: Project) -> None:
    source = """
from planner import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).rebalance().map(str).print()  # plan: ignore[PL102]{reason}
env.execute("job")
"""
    project.write("job.py", source.replace("{reason}", ""))
    assert project.codes("job.py") == ["PL102", "PL112"]
    project.write("job.py", source.replace("{reason}", " the sources are skewed"))
    assert project.codes("job.py") == []


def test_pl900_is_a_finding_and_the_other_files_are_still_linted(project: Project) -> None:
    bad = project.write("bad.yaml", CLEAN.replace("type: map", "type: mapp"))
    project.write("broken.py", "import planner\nraise ValueError('no')\n")
    project.write("good.yaml", CLEAN.replace("uid: totals", "name: sums"))
    findings = project.findings("bad.yaml", "broken.py", "good.yaml")
    assert [finding.code for finding in findings] == ["PL900", "PL900", "PL101"]
    assert str(findings[0].location).startswith(f"{bad}:7:")
    assert "did you mean" in str(findings[0].fix)
    assert project.codes("bad.yaml", select=["PL101"]) == ["PL900"], "a broken job never looks clean"


def test_every_rule_has_a_whole_page() -> None:
    for rule in RULES:
        for text in (rule.summary, rule.checks, rule.why, rule.example, rule.fix):
            assert len(text) > 20, rule.code
        assert "\n" not in rule.summary
        assert not rule.summary.endswith(".")


@pytest.mark.parametrize(
    ("function", "state"),
    [("str", False), ("lambda pair: pair", False), ("Counting()", True), ("Plain()", False)],
)
def test_pl101_knows_which_functions_on_a_keyed_stream_reach_state(
    project: Project, function: str, state: bool
) -> None:
    source = """
from planner import MapFunction, StreamExecutionEnvironment
class Counting(MapFunction):
    def open(self, runtime_context):
        self.state = runtime_context
    def map(self, value):
        return value
class Plain(MapFunction):
    def map(self, value):
        return value
env = StreamExecutionEnvironment.get_execution_environment()
env.set_max_parallelism(128)
env.from_collection([("a", 1)]).key_by(lambda pair: pair[0]).map(FUNCTION).print()
env.execute("job")
"""
    project.write("job.py", source.replace("FUNCTION", function))
    assert project.codes("job.py") == (["PL101"] if state else [])


UNION = """
name: union
parallelism: 2
max_parallelism: 128
operators:
  - {id: a, type: source, uid: a}
  - {id: b, type: source, uid: b}
  - {id: by_a, type: sum, input: a, key_by: user, uid: by_a}
  - {id: by_b, type: sum, input: b, key_by: user, uid: by_b}
  - {id: kept, type: filter, input: [by_a, by_b]}
  - {id: again, type: max, input: kept, key_by: user, uid: again}
  - {id: out, type: print, input: again}
"""


@pytest.mark.parametrize(
    ("before", "after", "fires"),
    [
        ("", "", True),
        ("input: b, key_by: user", "input: b, key_by: country", False),
        ("input: kept, key_by", "input: [by_a, by_b], key_by", True),
        ("input: kept, key_by", "input: [by_a, b], key_by", False),
        ("uid: by_b}", "uid: by_b, max_parallelism: 256}", False),
    ],
)
def test_pl108_and_explain_see_through_unions_and_agree(project: Project, before: str, after: str, fires: bool) -> None:
    file = project.write("job.yaml", UNION.replace(before, after))
    found = [finding for finding in project.findings("job.yaml") if finding.code == "PL108"]
    assert len(found) == fires
    edges = explain_plan(load_plan(file)).edges
    repeated = [edge for edge in edges if edge.target.key == "again" and edge.repeats is not None]
    assert bool(repeated) is fires
    if fires:
        lines = plain(edge_explained(repeated[0], None))
        assert "it moves nothing: Keyed Aggregation (by_a) already partitioned the records by this key" in lines
        assert "leave it" not in lines


@pytest.mark.parametrize(
    ("text", "fires"),
    [
        ("s.rebalance().key_by(lambda v: v)", True),
        ("s.rebalance().rescale()", True),
        ("s.rebalance().union(s).key_by(lambda v: v)", True),
        ("s.rebalance().map(str).key_by(lambda v: v)", False),
        ("s.key_by(lambda v: v)", False),
    ],
)
def test_pl113_finds_partitioners_that_another_one_overrides(project: Project, text: str, fires: bool) -> None:
    head = (
        "from planner import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
    )
    body = f"s = env.from_sequence(1, 3)\n({text}).map(str).print()\nenv.execute('j')\n"
    project.write("job.py", head + body)
    found = [finding for finding in project.findings("job.py") if finding.code == "PL113"]
    assert len(found) == fires
    if fires:
        assert found[0].message.startswith("the rebalance has no effect: the ")
        assert found[0].location.line == 4


def test_pl113_leaves_a_rebalance_alone_that_someone_else_reads(project: Project) -> None:
    project.write(
        "job.py",
        "from planner import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "spread = env.from_sequence(1, 3).rebalance()\n"
        "spread.map(str).print()\nspread.key_by(lambda v: v).map(str).print()\nenv.execute('j')\n",
    )
    assert "PL113" not in project.codes("job.py")


TIMED = """
name: timed
max_parallelism: 128
operators:
  - {id: a, type: source, uid: a, time: at, watermark: 5s}
  - {id: b, type: source, uid: b}
  - {id: stamped, type: watermarks, input: b, time: at}
  - {id: all, type: map, input: [a, stamped]}
  - {id: w, type: window_reduce, input: all, key_by: user, window: {tumbling: 5min}, uid: w}
  - {id: out, type: print, input: w}
"""


@pytest.mark.parametrize(
    ("before", "after", "blamed"),
    [
        ("", "", None),
        ("input: [a, stamped]", "input: [a, b]", "b"),
        (", time: at, watermark: 5s", "", "a"),
        ("type: map, input: [a, stamped]", "type: map, input: [a, b]", "b"),
        ("window: {tumbling: 5min}, uid: w}", "window: {tumbling: 5min}, time: at, uid: w}", None),
    ],
)
def test_pl114_wants_watermarks_on_every_way(project: Project, before: str, after: str, blamed: str | None) -> None:
    project.write("job.yaml", TIMED.replace(before, after))
    found = [finding for finding in project.findings("job.yaml") if finding.code == "PL114"]
    assert [f"give {blamed} a `time`" in (finding.fix or "") for finding in found] == [True] * (blamed is not None)


SCRIPT = """\
from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
from pyflink.datastream.window import {window}

env = StreamExecutionEnvironment.get_execution_environment()
source = KafkaSource.builder().set_bootstrap_servers("b").set_topics("t").set_value_only_deserializer(
    SimpleStringSchema()).build()
lines = env.from_source(source, WatermarkStrategy.{strategy}(), "kafka")
lines.key_by(lambda line: line).window({window}.of(Time.minutes(1))).reduce(lambda a, b: a).print()
env.execute()
"""


@pytest.mark.parametrize(
    ("window", "strategy", "found"),
    [
        ("TumblingEventTimeWindows", "no_watermarks", True),
        ("TumblingEventTimeWindows", "for_monotonous_timestamps", False),
        ("TumblingProcessingTimeWindows", "no_watermarks", False),
    ],
)
def test_pl114_speaks_of_pyflink_scripts(project: Project, window: str, strategy: str, found: bool) -> None:
    project.write("job.py", SCRIPT.format(window=window, strategy=strategy))
    assert ("PL114" in project.codes("job.py")) is found


def test_pl114_is_quiet_where_a_bounded_side_input_ends_its_watermark(project: Project) -> None:
    job = """
name: rules
operators:
  - {id: events, type: source, format: kafka, bounded: false, time: at, watermark: 5s, uid: e}
  - {id: rules, type: source, format: csv, path: rules.csv, bounded: BOUNDED, uid: r}
  - {id: both, type: co_process, inputs: [events, rules], uid: b}
  - {id: w, type: window_reduce, input: both, key_by: k, window: {tumbling: 5min}, uid: w}
  - {id: out, type: print, input: w}
"""
    project.write("job.yaml", job.replace("BOUNDED", "true"))
    assert "PL114" not in project.codes("job.yaml")
    project.write("job.yaml", job.replace("BOUNDED", "false"))
    assert "PL114" in project.codes("job.yaml")
