"""Why state is not found, what is dropped without a message, and that the fix brings it back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from planner import JobDefinition, load_job, load_job_data, plan
from planner.graphs.operator_ids import IdShape, hash_operators
from planner.graphs.stream_graph import StreamNode
from planner.savepoints import origins
from planner.savepoints.contents import describe_savepoint
from planner.savepoints.expected_states import why_dropped
from planner.savepoints.fates import Fate, RestoreReport, restore
from planner.savepoints.files import load_savepoint
from planner.savepoints.handle_format import KeyedState
from planner.savepoints.metadata import SavedOperator, SavedSubtask
from planner.savepoints.origins import find_origins
from planner.savepoints.state_names import NamedState
from tests.support.savepoints import own_restores, restores, savepoint


def report(job: JobDefinition, data: bytes, folder: Path) -> RestoreReport:
    (folder / "_metadata").write_bytes(data)
    return restore(plan(job, until="job"), describe_savepoint(load_savepoint(str(folder))))


def of_pair(name: str, folder: Path) -> RestoreReport:
    pair = restores()[name]
    return report(load_job_data(pair.job), pair.savepoint, folder)


def only(found: RestoreReport, status: str) -> Fate:
    (fate,) = (fate for fate in found.fates if fate.status == status)
    return fate


# Flink 1.20 saves neither names nor uids, 2.3 saves both: the change is found from the ids alone.
@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
@pytest.mark.parametrize(
    ("pair", "operator", "reason"),
    [
        ("rebalance-added-nouid", "total", "Source: Custom Source (src) -> Map (m) no longer chains (REBALANCE"),
        ("sink-parallelism-unchains", "total", "Keyed Aggregation (total) -> Sink: Unnamed (out) no longer chains"),
        ("chaining-off-sum", "total", "chaining was switched off for the job"),
        ("uid-added-stateful", "total", "it got the uid 'total'"),
        ("uid-added-stateless-before", "total", "Map (m) upstream got the uid 'm'"),
    ],
)
def test_the_change_that_moved_an_id_is_proven(
    pair: str, operator: str, reason: str, version: str, tmp_path: Path
) -> None:
    fate = only(of_pair(f"{pair}-{version}", tmp_path), "not found")
    assert fate.certainty == "certain"
    assert fate.node is not None
    assert fate.node.operator.key == operator
    assert reason in (fate.reason or "")


def test_an_added_operator_is_named_as_far_as_the_savepoint_tells(tmp_path: Path) -> None:
    """Ids are hashes of places: only the names of 2.x tell which of two operators was there before."""
    named = only(of_pair("op-added-at-start-2.3.0", tmp_path), "not found")
    assert (named.reason or "").startswith("Filter (f) was added upstream")
    unnamed = only(of_pair("op-added-at-start-1.20.5", tmp_path), "not found")
    assert (unnamed.reason or "").startswith("Filter (f) or Map (m) was added upstream")
    assert named.certainty == unnamed.certainty == "certain"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("uid-removed-stateful-2.3.0", "its uid was 'reducer' and is gone"),
        ("uid-removed-stateful-1.20.5", "only Keyed Reduce (r) fits and finds no state: probably its uid was removed"),
        ("adaptive-uid-renamed-2.3.0", "its uid was 'reducer' and is 'reducer-2' now"),
    ],
)
def test_a_uid_that_is_gone_is_the_likely_reason(name: str, reason: str, tmp_path: Path) -> None:
    fate = only(of_pair(name, tmp_path), "not found")
    assert (fate.certainty, fate.reason) == ("likely", reason)
    assert fate.fix is not None
    assert fate.fix.uid == ("reducer" if fate.saved.uid else None)


def test_two_uids_that_are_gone_are_told_apart(tmp_path: Path) -> None:
    found = of_pair("extra-two-unmapped-2.3.0", tmp_path)
    owners = {fate.saved.uid: fate.node.operator.key for fate in found.of("not found") if fate.node}
    assert owners == {"first": "p", "second": "q"}


def test_the_savepoint_of_another_job_gets_no_invented_owner(tmp_path: Path) -> None:
    for version in ("1.20.5", "2.3.0"):
        fate = only(of_pair(f"other-job-{version}", tmp_path), "not found")
        assert fate.node is None
        assert fate.fix is None


@pytest.mark.parametrize("name", [name for name in restores() if restores()[name].outcome("strict") == "refused"])
def test_with_the_fix_the_job_restores(name: str, tmp_path: Path) -> None:
    found = of_pair(name, tmp_path)
    fixes = [fate.fix for fate in found.of("not found")]
    if not fixes or name.startswith(("other-job", "maxp-and-one")):
        return
    assert all(fixes)
    assert found.with_fixes is not None
    assert found.with_fixes.strict.outcome == "started"


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
@pytest.mark.parametrize(
    ("pair", "states"),
    [
        ("newsource-to-legacy", ["SourceReaderState"]),
        ("reduce-to-window", ["_op_state"]),
        ("keyed-to-stateless-same-uid", ["count"]),
    ],
)
def test_state_that_flink_drops_without_a_message_is_seen(
    pair: str, states: list[str], version: str, tmp_path: Path
) -> None:
    found = of_pair(f"{pair}-{version}", tmp_path)
    assert found.loses_state
    assert [name for name, _ in only(found, "dropped").dropped] == states


@pytest.mark.parametrize("name", [name for name in restores() if restores()[name].answers["strict"].get("kept")])
def test_state_that_flink_restores_is_never_called_lost(name: str, tmp_path: Path) -> None:
    answer = restores()[name].answers["strict"]
    if not answer["lost"]:
        assert of_pair(name, tmp_path).restores


FUNCTION = """from planner import KeyedProcessFunction, StreamExecutionEnvironment, {descriptor}


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.{getter}({descriptor}({name}))

    def process_element(self, value, ctx):
        yield value


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1, 2]).key_by(lambda value: value).process(Count()).uid("proc").print()
env.execute("counts")
"""


def of_function(folder: Path, descriptor: str, getter: str, name: str) -> Fate:
    path = folder / "job.py"
    path.write_text(FUNCTION.format(descriptor=descriptor, getter=getter, name=name))
    found = report(load_job(path), savepoint("default2-2.3.0"), folder)
    return next(fate for fate in found.fates if fate.saved.has_state)


def test_a_state_that_was_renamed_is_seen_in_the_functions_source(tmp_path: Path) -> None:
    same = of_function(tmp_path, "ValueStateDescriptor", "get_state", '"count"')
    assert (same.status, same.warnings) == ("restored", ())
    renamed = of_function(tmp_path, "ValueStateDescriptor", "get_state", 'name="count2"')
    assert renamed.status == "dropped"
    ((name, reason),) = renamed.dropped
    assert name == "count"
    assert reason == "the function has 'count2' only: the state was renamed or removed"


def test_a_name_that_is_made_at_run_time_is_not_guessed(tmp_path: Path) -> None:
    assert of_function(tmp_path, "ValueStateDescriptor", "get_state", '"co" + "unt"').status == "restored"


def test_another_kind_of_state_fails_in_the_tasks(tmp_path: Path) -> None:
    other = of_function(tmp_path, "ListStateDescriptor", "get_list_state", '"count"')
    assert other.status == "restored", "Flink accepts the submission"
    assert "was saved as VALUE and is LIST" in other.warnings[0]


def test_an_operator_that_is_new_starts_empty(tmp_path: Path) -> None:
    job = {
        "parallelism": 2,
        "operators": [
            {"id": "src", "type": "source", "legacy": True, "uid": "source"},
            {"id": "p", "type": "process", "input": "src", "key_by": "k", "uid": "proc"},
            {"id": "more", "type": "sum", "input": "p", "key_by": "k", "uid": "new one"},
            {"id": "out", "type": "sink", "input": "more"},
        ],
    }
    found = report(load_job_data(job), savepoint("default2-2.3.0"), tmp_path)
    assert found.restores
    assert [node.operator.key for node in found.starts_empty] == ["more"]


def test_pyflinks_own_names_are_known() -> None:
    (reducer,) = (n for n in plan(load_job_data(REDUCE), until="stream").stream_graph.nodes if n.operator.key == "r")
    anew = "python-state-_reduce_state" + "0f0e0d0c-1b1a-4918-8716-151413121110"
    assert "names the state of reduce" in (_why(reducer, anew) or "")
    assert _why(reducer, "python-state-other") is None, "PyFlink's own operators may have it"
    assert "belongs to a function" in (_why(reducer, "count") or "")
    assert _why(reducer, "_op_state") is None


REDUCE = {
    "operators": [
        {"id": "src", "type": "source"},
        {"id": "r", "type": "reduce", "input": "src", "key_by": "k"},
        {"id": "out", "type": "print", "input": "r"},
    ]
}


def _why(node: StreamNode, name: str) -> str | None:
    return why_dropped(node, NamedState(name=name, kind="KEY_VALUE", type="VALUE"), keyed=True)


def without_state(id_: str) -> SavedOperator:
    return SavedOperator(
        id=id_,
        name=None,
        uid=None,
        parallelism=1,
        max_parallelism=128,
        coordinator=None,
        fully_finished=False,
        subtasks=(),
    )


def stateful(id_: str) -> SavedOperator:
    keyed = KeyedState(kind="savepoint", first_key_group=0, key_groups=128, size=1)
    return replace(without_state(id_), subtasks=(SavedSubtask(index=0, managed_keyed=keyed),))


def large(added: bool) -> JobDefinition:
    operators = [{"id": "src", "type": "source"}]
    operators += [{"id": f"m{n}", "type": "map", "input": f"m{n - 1}" if n else "src"} for n in range(500)]
    if added:
        operators.append({"id": "new", "type": "filter", "input": "m499"})
    operators.append({"id": "total", "type": "sum", "input": "new" if added else "m499", "key_by": "k"})
    operators.append({"id": "out", "type": "print", "input": "total"})
    return load_job_data({"operators": operators})


def test_the_search_in_a_large_job_is_bounded_and_still_proves(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[int] = []

    def counted(shape: IdShape) -> dict[int, bytes]:
        hashed.append(len(shape.uids))
        return hash_operators(shape)

    monkeypatch.setattr(origins, "hash_operators", counted)
    old, new = plan(large(False), until="job"), plan(large(True), until="job")
    key = {id_: old.stream_graph.by_id[node].operator.key for node, id_ in old.operator_ids.items()}
    saved = {id_: stateful(id_) if key[id_] == "total" else without_state(id_) for id_ in key}
    found = find_origins(new, saved)
    owner = next(found[id_] for id_ in key if key[id_] == "total")
    assert owner.certainty == "certain"
    assert owner.node is not None
    assert new.stream_graph.by_id[owner.node].operator.key == "total"
    unknown = {f"{n:032x}": stateful(f"{n:032x}") for n in range(40)}
    assert find_origins(new, unknown) == {}
    assert sum(hashed) < 2 * 200_000


def test_records_in_flight_on_an_edge_that_is_chained_now_are_dropped(tmp_path: Path) -> None:
    same, chained = own_restores()["slow"], own_restores()["slow-chained"]
    assert report(load_job_data(same.job), same.savepoint, tmp_path).restores
    found = report(load_job_data(chained.job), chained.savepoint, tmp_path)
    lost = {fate.saved.uid: fate.dropped for fate in found.of("dropped")}
    assert set(lost) == {"fmap", "smap"}, "the two ends of the edge"
    assert lost["smap"] == (("records in flight", "the edge that they were on is chained now"),)


PYFLINK = """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Count(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.count = runtime_context.get_state(ValueStateDescriptor("total", Types.LONG()))

    def process_element(self, value, ctx):
        yield value


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1, 2]).key_by(lambda value: value).process(Count()).uid("proc").print()
env.execute()
"""


def test_states_of_a_pyflink_script_are_seen_too(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PYFLINK)
    found = report(load_job(tmp_path / "script.py"), savepoint("default2-2.3.0"), tmp_path)
    assert [name for name, _ in only(found, "dropped").dropped] == ["count"]
