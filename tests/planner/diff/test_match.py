"""Who is who in two versions: names tell the truth here, and the matcher must find it."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.diff.changes import find_changes
from planner.diff.comparison import Comparison, compare
from planner.frontends.yaml.loader import load_job_data
from planner.lint.registry import RULES
from planner.lint.rule import Subject
from planner.pipeline import plan
from planner.settings.pyproject import ClusterSettings, Config
from planner.snapshots.snapshot import Snapshot, take_snapshot
from tests.support.strategies import Job, jobs


def snapshot_of(job: Job) -> Snapshot:
    return take_snapshot(plan(load_job_data(job), until="execution"))


def named(job: Job) -> Job:
    """The job with a name of its own on every operator."""
    job = copy.deepcopy(job)
    for operator in job["operators"]:
        operator["name"] = f"name of {operator['id']}"
    return job


def lost_state(old: Snapshot, new: Snapshot) -> set[str]:
    """By name: the operators with state whose id is another one, or that are gone."""
    ids = {operator.name: operator.id for operator in new.operators}
    return {o.name for o in old.operators if o.state != "none" and ids.get(o.name) != o.id}


def found_lost(compared: Comparison) -> set[str]:
    gone = {compared.old.operators[at] for at in compared.lost}
    return {pair.old.name for pair in compared.orphaned} | {o.name for o in gone if o.state != "none"}


@settings(max_examples=50)
@given(jobs(), st.data())
def test_state_is_reported_lost_exactly_where_an_id_changed(job: Job, data: st.DataObject) -> None:
    before = named(job)
    after = copy.deepcopy(before)
    operator = data.draw(st.sampled_from(after["operators"]))
    change = data.draw(st.sampled_from(["parallelism", "group", "chaining", "uid"]))
    if change == "parallelism" and operator.get("parallel", True):
        operator["parallelism"] = data.draw(st.integers(min_value=1, max_value=6))
    elif change == "group":
        operator["slot_sharing_group"] = "another"
    elif change == "chaining":
        after["chaining"] = not after["chaining"]
    else:
        operator["uid"] = "another uid"
    old, new = snapshot_of(before), snapshot_of(after)
    compared = compare(old, new)
    assert {(pair.old.name, pair.new.name) for pair in compared.operators if pair.old.name != pair.new.name} == set()
    assert found_lost(compared) == lost_state(old, new)


@settings(max_examples=50)
@given(jobs(), st.randoms(use_true_random=False))
def test_reordering_is_reported_exactly_where_it_changed_an_id(job: Job, random: Any) -> None:
    before = named(job)
    after = copy.deepcopy(before)
    random.shuffle(after["operators"])  # the loader puts readers behind what they read
    old, new = snapshot_of(before), snapshot_of(after)
    compared = compare(old, new)
    assert not compared.lost
    assert not compared.added
    assert all(pair.old.name == pair.new.name for pair in compared.operators)
    assert found_lost(compared) == lost_state(old, new)


@settings(max_examples=50)
@given(jobs(), st.data())
def test_an_operator_put_in_between_is_the_only_one_added(job: Job, data: st.DataObject) -> None:
    before = named(job)
    readers = [o for o in before["operators"] if isinstance(o.get("input"), str)]
    chosen = data.draw(st.sampled_from(readers))
    after = copy.deepcopy(before)
    reader = next(operator for operator in after["operators"] if operator["id"] == chosen["id"])
    at = after["operators"].index(reader)
    after["operators"].insert(at, {"id": "between", "name": "between", "type": "map", "input": reader["input"]})
    reader["input"] = "between"
    old, new = snapshot_of(before), snapshot_of(after)
    compared = compare(old, new)
    assert [compared.new.operators[each].name for each in compared.added] == ["between"]
    assert not compared.lost
    assert found_lost(compared) == lost_state(old, new)


def test_a_long_pipeline_of_equal_operators_is_matched_in_order() -> None:
    chain = [{"id": "s", "type": "source"}]
    chain += [{"id": f"m{n}", "type": "map", "input": chain[-1]["id"] if n == 0 else f"m{n - 1}"} for n in range(5_000)]
    chain.append({"id": "end", "type": "print", "input": "m4999"})
    snapshot = snapshot_of({"operators": chain})
    compared = compare(snapshot, snapshot)
    assert [pair.old_at for pair in compared.operators] == [pair.new_at for pair in compared.operators]


def test_a_wide_fan_out_of_equal_operators_is_matched() -> None:
    wide = [{"id": "s", "type": "source"}, *({"id": f"p{n}", "type": "print", "input": "s"} for n in range(2_000))]
    snapshot = snapshot_of({"operators": wide})
    compared = compare(snapshot, snapshot)
    assert len(compared.operators) == 2_001
    assert not compared.orphaned


@settings(max_examples=40)
@given(jobs(), jobs(), st.booleans())
def test_any_two_jobs_can_be_compared(first: Job, second: Job, batch: bool) -> None:
    if batch:
        second["runtime_mode"] = "batch"
        for operator in second["operators"]:
            operator.pop("legacy", None)  # Flink refuses an unbounded source there
            operator.pop("parallel", None)
    old, new = snapshot_of(first), snapshot_of(second)
    compared = compare(old, new)
    assert len({pair.new_at for pair in compared.operators}) == len(compared.operators)
    assert len(compared.operators) + len(compared.lost) == len(old.operators)
    assert len(compared.operators) + len(compared.added) == len(new.operators)
    assert len(compared.edges) + len(compared.lost_edges) == len(old.edges)
    assert len(compared.edges) + len(compared.added_edges) == len(new.edges)
    levels = {change.level for change in find_changes(compared)}
    if compared.orphaned or any(old.operators[at].state != "none" for at in compared.lost):
        assert "state-breaking" in levels


@settings(max_examples=40)
@given(jobs(), jobs())
def test_every_rule_speaks_about_any_job_without_failing(first: Job, second: Job) -> None:
    cluster = ClusterSettings(task_managers=1, slots=1, network_memory=64 * 1024)
    compiled = plan(load_job_data(second), until="execution")
    compared = compare(snapshot_of(first), take_snapshot(compiled))
    subject = Subject(plan=compiled, config=Config(cluster=cluster), comparison=compared)
    found = [finding for rule in RULES if rule.find for finding in rule.find(rule, subject)]
    assert all(finding.message and finding.location.line >= 1 for finding in found)
    lost = [finding for finding in found if finding.code in ("PL002", "PL003") and finding.severity == "error"]
    stateful = [at for at in compared.lost if compared.old.operators[at].state != "none"]
    assert len(lost) == len(compared.orphaned) + len(stateful)


def test_an_operator_between_sources_of_one_name_may_be_renamed() -> None:
    """Nothing next to it is matched: only the kinds around it say who it was."""
    before: Job = {
        "operators": [
            {"id": "a", "type": "source"},
            {"id": "b", "type": "source", "chaining": "disable"},
            {"id": "c", "type": "source"},
            {"id": "pairs", "type": "co_map", "inputs": ["a", "b"], "name": "Pairs"},
            {"id": "other", "type": "flat_map", "input": "c", "name": "Parse"},
        ]
    }
    after = copy.deepcopy(before)
    after["operators"][3]["name"] = "Pairs of both"
    changes = find_changes(compare(snapshot_of(before), snapshot_of(after)))
    assert {change.level for change in changes} == {"safe"}
