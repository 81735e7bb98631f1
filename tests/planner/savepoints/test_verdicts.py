"""Every answer to a restore is Flink's own, with the complaint that Flink shows as the first one."""

from __future__ import annotations

import pytest

from planner import load_job_data, plan
from planner.flink.differences import flink
from planner.savepoints.metadata import read_metadata
from planner.savepoints.new_job import NewJob, NewOperator, NewVertex, reduce_plan
from planner.savepoints.verdict import judge
from tests.support.savepoints import MODES, Restore, own_restores, restores


def flinks_graph(restore: Restore) -> NewJob:
    return NewJob(
        vertices=tuple(
            NewVertex(
                name=vertex["vertex"],
                parallelism=vertex["parallelism"],
                max_parallelism=vertex["max_parallelism"],
                operators=tuple(
                    NewOperator(id=each["id"], uid_hash=each["uid_hash"], node=0) for each in vertex["operators"]
                ),
                inputs=(),
            )
            for vertex in restore.vertices
        ),
        flink=flink(),
    )


def looked_at(job: NewJob) -> list[object]:
    return sorted(
        (vertex.parallelism, vertex.max_parallelism, [(each.id, each.uid_hash or "") for each in vertex.operators])
        for vertex in job.vertices
    )


def test_there_are_71_pairs() -> None:
    assert len({restore.name for restore in restores().values()}) == 71


@pytest.mark.parametrize("name", sorted(restores()))
def test_the_answer_is_flinks(name: str) -> None:
    restore = restores()[name]
    job = reduce_plan(plan(load_job_data(restore.job), until="job"))
    assert looked_at(job) == looked_at(flinks_graph(restore))
    document = judge(read_metadata(restore.savepoint), job).to_dict()
    for mode in MODES:
        expected, found = restore.answers[mode], document[mode]
        assert found["outcome"] == restore.outcome(mode)
        if found["outcome"] == "refused":
            first = found["complaints"][0]
            assert (first["kind"], first["operator"]) == (expected["kind"], expected["operator"])
        else:
            assert found["complaints"] == []


@pytest.mark.parametrize("name", sorted(own_restores()))
def test_the_answer_is_flinks_where_the_pairs_have_none(name: str) -> None:
    own = own_restores()[name]
    document = judge(read_metadata(own.savepoint), reduce_plan(plan(load_job_data(own.job), until="job"))).to_dict()
    for mode in MODES:
        assert document[mode]["outcome"] == own.outcome
        assert {complaint["kind"] for complaint in document[mode]["complaints"]} == ({own.kind} - {None})
