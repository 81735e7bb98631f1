"""Every kind of change has its level, and a false "safe" is never given."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from planner.diff.changes import Change, find_changes
from planner.diff.comparison import compare
from planner.frontends.loading import load_jobs
from planner.frontends.yaml.loader import load_job_data
from planner.pipeline import plan
from planner.snapshots.snapshot import Snapshot, take_snapshot

JOB = """
name: orders
parallelism: 2
max_parallelism: 128
operators:
  - {id: orders, type: source, name: orders, uid: orders}
  - {id: parse, type: map, name: parse, input: orders, uid: parse}
  - {id: totals, type: sum, name: totals, input: parse, key_by: user, field: n, uid: totals}
  - {id: out, type: print, input: totals, uid: out}
"""


def snapshot_of(text: str) -> Snapshot:
    return take_snapshot(plan(load_job_data(yaml.safe_load(text)), until="execution"))


def changes(before: str, after: str) -> list[Change]:
    return list(find_changes(compare(snapshot_of(before), snapshot_of(after))))


# what is replaced, by what, and the level, part and kind that must be among the changes
CASES = {
    "nothing": ("name: orders\n", "name: orders\n", None),
    "the job's name": ("name: orders\n", "name: purchases\n", ("safe", "job", "renamed")),
    "an operator's name": ("name: parse", "name: read", ("safe", "operator", "renamed")),
    "a parallelism": ("uid: parse", "uid: parse, parallelism: 3", ("performance", "operator", "parallelism")),
    "a chain": ("uid: parse", "uid: parse, parallelism: 3", ("performance", "chain", "broken")),
    "slots": ("uid: parse", "uid: parse, parallelism: 3", ("performance", "slots", "slots")),
    "a parallelism within the key groups": (
        "uid: totals", "uid: totals, parallelism: 128", ("performance", "operator", "parallelism"),
    ),
    "max parallelism": ("max_parallelism: 128", "max_parallelism: 64", ("state-breaking", "state", "max-parallelism")),
    "Flink's own max parallelism written down": ("max_parallelism: 128\n", "", ("safe", "operator", "max-parallelism")),
    "a group": ("uid: parse", "uid: parse, slot_sharing_group: io", ("performance", "operator", "slot-sharing-group")),
    "a partitioner": (
        "input: orders", "input: {from: orders, partition: shuffle}", ("performance", "edge", "partitioner"),
    ),
    "a key": ("key_by: user", "key_by: country", ("state-breaking", "state", "key")),
    "a field": ("field: n", "field: m", ("result", "operator", "behaviour")),
    "another aggregate": ("type: sum", "type: min", ("result", "operator", "kind")),
    "a uid": ("uid: totals", "uid: sums", ("state-breaking", "state", "operator-id")),
    "a uid of no state": ("uid: parse", "uid: reads", ("safe", "state", "operator-id")),
    "no uid": (", uid: totals", "", ("state-breaking", "state", "operator-id")),
    "the mode": ("name: orders\n", "name: orders\nruntime_mode: batch\n", ("state-breaking", "job", "runtime-mode")),
    "a new operator": (
        "- {id: out", "- {id: more, type: print, input: totals, uid: x}\n  - {id: out", ("result", "operator", "added"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CASES)
def test_every_change_has_its_level(what: str) -> None:
    before, after, expected = CASES[what]
    assert before in JOB
    found = changes(JOB, JOB.replace(before, after, 1))
    if expected is None:
        assert found == []
    else:
        assert expected in {(change.level, change.part, change.kind) for change in found}


def test_scaling_beyond_the_key_groups_of_the_state_is_state_breaking() -> None:
    unset = JOB.replace("max_parallelism: 128\n", "")
    found = changes(unset, unset.replace("parallelism: 2", "parallelism: 129"))
    assert ("state-breaking", "parallelism") in {(change.level, change.kind) for change in found}
    found = changes(unset, unset.replace("parallelism: 2", "parallelism: 128"))
    assert "state-breaking" not in {change.level for change in found}, "Flink keeps the 128 of the state"


def test_an_operator_put_between_two_with_uids_keeps_their_state() -> None:
    added = JOB.replace("input: parse,", "input: clean,").replace(
        "  - {id: totals", "  - {id: clean, type: filter, name: clean, input: parse}\n  - {id: totals"
    )
    assert {change.level for change in changes(JOB, added)} == {"result"}
    assert {change.level for change in changes(added, JOB)} == {"result"}


def test_removed_state_is_never_safe() -> None:
    removed = JOB.replace(
        "  - {id: totals, type: sum, name: totals, input: parse, key_by: user, field: n, uid: totals}\n", ""
    ).replace("input: totals", "input: parse")
    found = [change for change in changes(JOB, removed) if change.kind == "removed"]
    assert [change.level for change in found] == ["state-breaking"]


def test_a_stateful_operator_that_reads_something_else_is_never_safe() -> None:
    two = JOB + "  - {id: others, type: source, name: others, uid: others}\n  - {id: end, type: print, input: others}\n"
    found = changes(two, two.replace("input: parse, key_by", "input: others, key_by"))
    assert {"state-breaking"} == {change.level for change in found if change.part == "edge"}


def test_state_found_under_a_uid_hash_is_kept() -> None:
    old = snapshot_of(JOB.replace(", uid: totals", ""))
    sums = next(operator for operator in old.operators if operator.name == "totals")
    new = snapshot_of(JOB.replace("uid: totals", f"uid: totals, uid_hash: '{sums.id}'"))
    assert not [change for change in find_changes(compare(old, new)) if change.level == "state-breaking"]


def test_the_gravest_change_stands_first() -> None:
    found = changes(JOB, JOB.replace("uid: totals", "uid: sums").replace("name: parse", "name: read, parallelism: 3"))
    levels = [change.level for change in found]
    assert levels == sorted(levels, key=["state-breaking", "performance", "safe"].index)
    assert set(levels) == {"state-breaking", "performance", "safe"}


TYPED = """
name: typed
operators:
  - {id: lines, type: source, format: json, path: x, schema: "user string, n bigint", uid: lines}
  - {id: parse, type: map, input: lines, select: {user: user, n: n}, uid: parse}
  - {id: valid, type: filter, input: parse, where: n > 0, uid: valid}
  - {id: totals, type: sum, input: valid, key_by: user, field: n, uid: totals}
  - {id: out, type: print, input: totals, uid: out}
"""


@pytest.mark.parametrize(
    ("before", "after", "level"),
    [
        ("n: n}", "n: n, day: day}", "state-breaking"),
        ("n: n}", "n: n * 1.5}", "state-breaking"),
        ("n > 0", "n > 1", "result"),
        ("n: n}", "n: cast(n as double)}", "state-breaking"),
        ("user string, n bigint", "user string, n int", "state-breaking"),  # the select only passes it on
        ("select: {user: user, n: n}", "select: {user: upper(user), n: n}", "result"),  # still a text
        ("select: {user: user, n: n}", "select: {user: user, n: n * 2 + 1}", "result"),  # still a bigint
        ("select: {user: user, n: n}", "select: {user: user, n: upper(user)}", "state-breaking"),
        ("select: {user: user, n: n}", "select: {user: user, n: cast(n as int)}", "state-breaking"),
        ("user string, n bigint", "user string, n bigint, note string", "result"),  # the select drops it
    ],
)
def test_another_type_upstream_breaks_the_state_behind_it(before: str, after: str, level: str) -> None:
    found = changes(TYPED, TYPED.replace(before, after))
    assert found[0].level == level
    assert ("record-type" in {change.kind for change in found}) is (level == "state-breaking")


@pytest.mark.parametrize(
    ("before", "after", "level"),
    [
        ("cast(n * 10 as bigint)", "cast(n * 100 as bigint)", "result"),
        ("cast(n * 10 as bigint)", "cast(n * 10 as decimal(10, 2))", "state-breaking"),
        ("cast(n as decimal(10, 2))", "cast(n as decimal(12, 2))", "state-breaking"),
        ("n * 10", "n * 100", "result"),
        ("n * 10", "n * 10000000000", "state-breaking"),
        ("concat(user, 'a')", "concat(user, 'b)')", "result"),
    ],
)
def test_only_what_a_columns_type_may_depend_on_breaks_state(before: str, after: str, level: str) -> None:
    def job(sql: str) -> str:
        return TYPED.replace("n: n}", f'n: "{sql}"}}')

    assert changes(job(before), job(after))[0].level == level


WINDOWS = """
name: windows
operators:
  - {id: a, type: source, uid: a, format: json, path: x, schema: "k string, t timestamp"}
  - {id: w, type: window_reduce, input: a, key_by: k, window: {tumbling: 1min}, time: t, function: "./f.py:add", uid: w}
  - {id: out, type: print, input: w, uid: out}
"""


# Seen with Flink 2.3.0 and real savepoints: what restores is another result, what is gone or refused breaks state.
@pytest.mark.parametrize(
    ("window", "level"),
    [
        ("{tumbling: 5min}", "result"),
        ("{sliding: 1min, every: 30s}", "result"),
        ("{session: 10s}", "state-breaking"),
    ],
)
def test_windows_have_the_level_that_flink_confirms(window: str, level: str) -> None:
    found = changes(WINDOWS, WINDOWS.replace("{tumbling: 1min}", window))
    assert found[0].level == level
    kept = any("keep the bounds they have" in change.message for change in found)
    assert kept is (level == "result"), "windows that are not found again keep nothing"


def test_a_new_exchange_before_an_inserted_operator_is_told() -> None:
    inserted = JOB.replace("input: parse,", "input: clean,").replace(
        "  - {id: totals", "  - {id: clean, type: filter, name: clean, input: parse, parallelism: 3}\n  - {id: totals"
    )
    told = [change.message for change in changes(JOB, inserted) if change.kind == "exchange-added"]
    assert told == ["parse -> clean: a new exchange, REBALANCE from 2 to 3 subtasks"]


JOINED = """
name: joined
operators:
  - {id: orders, type: source, format: json, path: x, schema: "user string, n bigint", uid: orders}
  - {id: users, type: source, format: json, path: y, schema: "user string, country string", uid: users}
  - {id: both, type: co_process, inputs: [orders, users], key_by: user, join: inner,
     select: {country: right.country, n: left.n + 1}, uid: both}
  - {id: totals, type: window_reduce, input: both, key_by: country, window: {tumbling: 5s},
     function: "./f.py:add", output: "country string, n bigint", uid: totals}
  - {id: kept, type: sum, input: both, key_by: country, field: n, uid: kept}
  - {id: out, type: print, input: totals, uid: out}
  - {id: shown, type: print, input: kept, uid: shown}
"""


@pytest.mark.parametrize(
    ("before", "after", "broken"),
    [
        ("user string, n bigint", "user string, n int", {"both", "totals", "kept"}),  # through the join's select
        ("left.n + 1", "left.n + 2", set()),
        ("left.n + 1", "cast(left.n as double)", {"totals", "kept"}),
        ('output: "country string, n bigint"', 'output: "country string, n double"', {"totals"}),  # what it reduces to
    ],
)
def test_types_go_through_joins_and_reduced_windows(before: str, after: str, broken: set[str]) -> None:
    found = changes(JOINED, JOINED.replace(before, after))
    types = {change.subject for change in found if change.kind == "record-type"}
    assert {name for name in ("both", "totals", "kept") for subject in types if f"({name})" in subject} == broken
    assert found[0].level == ("state-breaking" if broken else "result")


SCRIPT = """
from pyflink.common import Time, Types
from pyflink.datastream import AggregateFunction, KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import TumblingProcessingTimeWindows

LAST = Types.LONG()
PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


class Sum(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value[1]

    def get_result(self, accumulator):
        return ("all", accumulator)

    def merge(self, a, b):
        return a + b


class Change(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", LAST))

    def process_element(self, value, ctx):
        yield str(value)


env = StreamExecutionEnvironment.get_execution_environment()
pairs = env.from_collection([("a", 1)], Types.TUPLE([Types.STRING(), Types.LONG()]))
windows = pairs.key_by(lambda p: p[0]).window(TumblingProcessingTimeWindows.of(Time.seconds(1)))
sums = windows.aggregate(Sum(), accumulator_type=Types.LONG(), output_type=PAIR).name("sums").uid("sums")
changes = sums.key_by(lambda p: p[0], Types.STRING()).process(Change(), Types.STRING()).name("change").uid("change")
changes.rebalance().print().name("out").uid("out").set_parallelism(3)
env.get_checkpoint_config().set_checkpoint_timeout(9000)
env.get_config().set_global_job_parameters({"a": "b"})
env.execute("script")
"""


@pytest.mark.parametrize(
    ("before", "after", "level"),
    [
        ("accumulator_type=Types.LONG()", "accumulator_type=Types.DOUBLE()", "state-breaking"),
        ("LAST = Types.LONG()", "LAST = Types.DOUBLE()", "state-breaking"),  # the type behind a name
        ("PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])", "PAIR = Types.TUPLE([Types.STRING(), Types.INT()])",
         "result"),  # neither the accumulator nor the declared state has it
        (".rebalance().print()", ".print()", "safe"),  # Flink inserts it: parallelism differs
        ("set_checkpoint_timeout(9000)", "set_checkpoint_timeout(8000)", "performance"),
        ('{"a": "b"}', '{"a": "c"}', "result"),
        ("changes.rebalance().print()", 'changes.map(lambda c: c.upper(), Types.STRING()).name("upper").print()',
         "result"),
    ],
)  # fmt: skip
def test_state_of_a_script_is_what_it_declares(tmp_path: Path, before: str, after: str, level: str) -> None:
    """An operator that PyFlink merges into a keyed one changes no state, and the rest is named once."""
    taken = []
    for name, text in (("old", SCRIPT), ("new", SCRIPT.replace(before, after))):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "job.py"
        file.write_text(text, encoding="utf-8")
        (job,) = load_jobs(file)
        taken.append(take_snapshot(plan(job, until="execution")))
    found = find_changes(compare(taken[0], taken[1]))
    assert found[0].level == level
    assert not [change for change in found if "function Change" in change.message]


def test_the_exchange_of_a_partition_that_another_one_overrides_counts() -> None:
    """Flink takes the partitioner nearest to the reader, and the exchange mode nearest to the source."""
    batch = "runtime_mode: batch\n"
    nested = "input: {from: [{from: parse, partition: forward, exchange: batch}], partition: shuffle}"
    job = JOB.replace("name: orders\n", f"name: orders\n{batch}").replace(
        "- {id: out", "- {id: more, type: print, NEST}\n  - {id: out"
    )
    found = changes(
        job.replace("NEST", nested), job.replace("NEST", nested.replace("exchange: batch", "exchange: pipelined"))
    )
    assert [(change.level, change.kind) for change in found] == [("performance", "exchange")]


def test_the_key_before_an_operator_that_is_never_keyed_counts() -> None:
    job = JOB.replace("- {id: out", "- {id: more, type: watermarks, input: parse, key_by: KEY, time: at}\n  - {id: out")
    found = changes(job.replace("KEY", "user"), job.replace("KEY", "country"))
    assert [(change.level, change.kind) for change in found] == [("result", "key")]


def test_a_parallelism_that_was_too_large_before_is_a_change_too() -> None:
    """A batch job may have more subtasks than key groups; a stream with them is refused."""
    job = JOB.replace("name: orders\n", "name: orders\nruntime_mode: batch\n")
    job = job.replace("uid: totals", "uid: totals, max_parallelism: 2, parallelism: 4")
    found = changes(job, job.replace("parallelism: 4", "parallelism: 5"))
    assert ("performance", "parallelism") in [(change.level, change.kind) for change in found]
