"""Too few slots: what is missing, and that every change that is named would fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planner.deployment.cluster import Cluster
from planner.deployment.placement import place_slots
from planner.deployment.shortage import Shortage, explain_shortage
from planner.explanation.settings import apply_settings
from planner.operators import describe_operators
from planner.pipeline import Plan, plan
from tests.support.deployments import TWO_STAGES, cluster, compiled, decided_plans, laid_out
from tests.support.strategies import Job

GROUPS: Job = {
    "name": "groups",
    "operators": [
        {"id": "in", "type": "source", "parallelism": 4},
        {"id": "heavy", "type": "map", "input": "in", "parallelism": 6, "slot_sharing_group": "heavy"},
        {"id": "out", "type": "sink", "input": "heavy", "parallelism": 2, "slot_sharing_group": "io"},
    ],
}


def shortage(job: Job, offered: Cluster) -> Shortage:
    made = compiled(job)
    found = explain_shortage(made, laid_out(made), offered)
    assert found is not None
    return found


def test_what_is_missing_by_slot_sharing_group() -> None:
    found = shortage(GROUPS, cluster(3, 3))
    assert (found.required, found.offered) == (12, 9)
    assert [(need.group, need.required, need.offered) for need in found.groups] == [
        ("default", 4, 4),
        ("heavy", 6, 3),
        ("io", 2, 2),
    ]


def test_every_kind_of_change() -> None:
    changes = {change.kind: change for change in shortage(GROUPS, cluster(3, 3)).changes}
    assert list(changes) == ["task-managers", "slots", "parallelism", "slot-sharing-group"]
    assert "4 with 3 slots each" in changes["task-managers"].sentence
    assert "--slots 4" in changes["slots"].sentence
    assert changes["parallelism"].settings == ("in.parallelism=4", "heavy.parallelism=3")[1:]
    assert changes["slot-sharing-group"].settings == ("heavy.slot_sharing_group=default",)


def test_the_fewest_groups_are_put_together() -> None:
    changes = {change.kind: change for change in shortage(GROUPS, cluster(1, 6)).changes}
    assert changes["slot-sharing-group"].settings == (
        "heavy.slot_sharing_group=default",
        "out.slot_sharing_group=default",
    )


def test_fewer_slots_than_groups_leave_only_what_can_help() -> None:
    kinds = [change.kind for change in shortage(GROUPS, cluster(1, 2)).changes]
    assert kinds == ["task-managers", "slots"], "no parallelism is below 1, and 6 subtasks share no 2 slots"


def test_the_job_default_is_lowered_where_that_is_the_cause() -> None:
    job = {"parallelism": 8, "operators": [{"id": "s", "type": "source"}, {"id": "o", "type": "sink", "input": "s"}]}
    (change,) = [change for change in shortage(job, cluster(1, 5)).changes if change.kind == "parallelism"]
    assert change.settings == ("job.parallelism=5",)
    assert change.sentence == "a lower parallelism: job 8 -> 5"


def test_eager_scheduling_of_a_batch_job_is_told_of_regions() -> None:
    made = compiled(TWO_STAGES)
    found = explain_shortage(made, laid_out(made), cluster(1, 2), at_once=True)
    assert found is not None
    assert [change.kind for change in found.changes] == ["schedule", "task-managers", "slots"]
    assert explain_shortage(made, laid_out(made), cluster(1, 2)) is None


@given(decided_plans(), st.sampled_from([cluster(1, 1), cluster(2, 1), cluster(1, 3), cluster(2, 2)]))
def test_every_change_of_the_job_would_fit(made: Plan, offered: Cluster) -> None:
    found = explain_shortage(made, laid_out(made), offered)
    for change in found.changes if found else ():
        if change.settings:
            changed = plan(apply_settings(made.job, describe_operators(made).values(), change.settings))
            assert place_slots(laid_out(changed), offered) is not None, change


@given(decided_plans(), st.integers(1, 4), st.integers(1, 4))
def test_the_changes_of_the_cluster_are_the_smallest_that_fit(made: Plan, managers: int, slots: int) -> None:
    layout = laid_out(made)
    found = explain_shortage(made, layout, cluster(managers, slots))
    if found is None:
        return
    more_managers = -(-found.required // slots)
    more_slots = -(-found.required // managers)
    sentences = [change.sentence for change in found.changes]
    assert f"(--task-managers {more_managers})" in sentences[0]
    assert f"(--slots {more_slots}," in sentences[1]
    for offered in (cluster(more_managers, slots), cluster(managers, more_slots)):
        assert place_slots(layout, offered) is not None
    for offered in (cluster(more_managers - 1, slots), cluster(managers, more_slots - 1)):
        assert place_slots(layout, offered) is None
