"""Vertices that run inside the JVM: which of Spark's stages and tasks were theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.lowering.lower import lower
from spark_runner.program.stage_shapes import ActionStages, Share, Stage, stage_owners

PYTHON = "./stage_python.py:same"
JOBS = {
    "one stage": """
        - {id: in, type: source, format: json, path: data, schema: "k string, v int", parallelism: 3}
        - {id: f, type: filter, input: in, where: "v > 0", parallelism: 3}
        - {id: out, type: sink, input: f, format: noop, parallelism: 3}
    """,
    "sum": """
        - {id: in, type: source, format: json, path: data, schema: "k string, v int", parallelism: 3}
        - {id: total, type: sum, input: in, key_by: k, field: v, parallelism: 2}
        - {id: out, type: sink, input: total, format: noop, parallelism: 2}
    """,
    "a sum of sums by the same key": """
        - {id: in, type: source, format: json, path: data, schema: "k string, v int", parallelism: 3}
        - {id: one, type: sum, input: in, key_by: k, field: v, parallelism: 2}
        - {id: two, type: max, input: one, key_by: k, field: v, parallelism: 2}
        - {id: out, type: sink, input: {from: two, partition: rebalance}, format: noop, parallelism: 4}
    """,
    "one subtask": """
        - {id: in, type: source, collection: [[a, 1]], schema: "k string, v int"}
        - {id: one, type: sum, input: in, key_by: k, field: v}
        - {id: two, type: max, input: one, key_by: v, field: v}
        - {id: out, type: print, input: two}
    """,
    "union": """
        - {id: a, type: source, format: json, path: data, schema: "k string, v int", parallelism: 3}
        - {id: b, type: source, collection: [[a, 1], [b, 2]], schema: "k string, v int", parallelism: 2}
        - {id: total, type: sum, input: [a, b], key_by: k, field: v, parallelism: 2}
        - {id: out, type: print, input: total, parallelism: 2}
    """,
    "join": """
        - {id: a, type: source, format: json, path: data, schema: "k string, v int", parallelism: 2}
        - {id: b, type: source, format: json, path: data, schema: "k string, v int", parallelism: 2}
        - {id: big, type: filter, input: {from: b, partition: rebalance}, where: "v > 1", parallelism: 2}
        - {id: j, type: co_process, inputs: [a, big], key_by: k, join: inner, select: {k: k}, parallelism: 2}
        - {id: out, type: sink, input: j, format: noop, parallelism: 2}
    """,
    "several sinks of one": """
        - {id: in, type: source, format: json, path: data, schema: "k string, v int", parallelism: 2}
        - {id: total, type: sum, input: in, key_by: k, field: v, parallelism: 2}
        - {id: out1, type: sink, input: total, format: noop, parallelism: 2}
        - {id: out2, type: sink, input: total, format: noop, parallelism: 2}
        - {id: moved, type: map, input: {from: total, partition: rebalance}, select: {v: v}, parallelism: 3}
        - {id: out3, type: sink, input: moved, format: noop, parallelism: 3}
    """,
    "Python among them": f"""
        - {{id: in, type: source, format: json, path: data, schema: "k string, v int", parallelism: 2}}
        - {{id: total, type: sum, input: in, key_by: k, field: v, parallelism: 3}}
        - id: python
          type: map
          input: {{from: total, partition: rebalance}}
          function: "{PYTHON}"
          output: "k string, v int"
          parallelism: 2
        - {{id: again, type: sum, input: python, key_by: k, field: v, parallelism: 3}}
        - {{id: out, type: sink, input: again, format: noop, parallelism: 3}}
    """,
    "not chained": """
        - {id: in, type: source, format: json, path: data, schema: "k string, v int", parallelism: 2}
        - {id: f, type: filter, input: in, where: "v > 0", parallelism: 2, chaining: disable}
        - {id: total, type: sum, input: f, key_by: k, field: v, parallelism: 2}
        - {id: m, type: map, input: total, select: {v: v}, parallelism: 2, chaining: disable}
        - {id: out, type: sink, input: m, format: noop, parallelism: 2, chaining: disable}
    """,
}


def job_of(folder: Path, operators: str) -> Any:
    (folder / "data").mkdir()
    for number in range(3):
        (folder / "data" / f"{number}.json").write_text(f'{{"k": "a", "v": {number}}}\n{{"k": "b", "v": 1}}\n')
    (folder / "stage_python.py").write_text("def same(value):\n    return value\n")
    (folder / "job.yaml").write_text(f"operators:\n{operators}")
    return load_job(folder / "job.yaml")


@pytest.mark.parametrize("name", list(JOBS))
def test_every_vertex_has_its_stage_and_its_tasks(spark: Any, tmp_path: Path, name: str) -> None:
    from spark_runner.batch.execute import execute
    from spark_runner.figures.action_stages import with_shares

    program = lower(plan(job_of(tmp_path, JOBS[name])))
    group = tmp_path.name
    spark.sparkContext.setJobGroup(group, name)
    result = execute(program, spark, events=lambda event: None)
    told = with_shares(result, program, spark, group)
    store = spark.sparkContext._jsc.sc().statusStore()
    for vertex in told.vertices:
        assert vertex.stages, f"{vertex.name} has no stage"
        for share in vertex.shares:
            assert share.count == vertex.parallelism
            assert share.first + share.count <= store.lastStageAttempt(share.stage).numTasks()
            assert store.lastStageAttempt(share.stage).status().toString() == "COMPLETE"
        reported = {one.stage for one in vertex.subtasks}
        assert not reported or reported <= {share.stage for share in vertex.shares}, (
            "the shapes agree with what is said"
        )


def test_a_union_shares_a_stage_by_its_tasks(tmp_path: Path) -> None:
    program = lower(plan(job_of(tmp_path, JOBS["union"])))
    brings, union, result = (
        Stage(id=0, tasks=1),
        Stage(id=1, tasks=5, parents=(0,)),
        Stage(id=2, tasks=2, parents=(1,)),
    )
    stages = {one.id: one for one in (brings, union, result)}
    owners = stage_owners(program, [ActionStages(sink=0, result=2, stages=stages)])
    names = {step.vertex: step.name.partition(":")[0] for step in program.steps}
    assert [owners[vertex] for vertex in sorted(names)] == [
        (Share(stage=1, first=0, count=3, writes=True),),
        (Share(stage=1, first=3, count=2, writes=True),),
        (Share(stage=2, first=0, count=2, reads=True),),
    ]


def test_a_vertex_of_two_actions_has_the_stages_of_both(tmp_path: Path) -> None:
    program = lower(plan(job_of(tmp_path, JOBS["several sinks of one"])))
    read, total = Stage(id=0, tasks=2), Stage(id=1, tasks=2, parents=(0,))
    again = {2: Stage(id=2, tasks=2, ran=False), 3: Stage(id=3, tasks=2, parents=(2,))}
    moved = {
        4: Stage(id=4, tasks=2, ran=False),
        5: Stage(id=5, tasks=2, parents=(4,)),
        6: Stage(id=6, tasks=3, parents=(5,)),
    }
    sinks = [sink.operator.key for sink in program.sinks]
    found = {
        "out1": ActionStages(sink=sinks.index("out1"), result=1, stages={0: read, 1: total}),
        "out2": ActionStages(sink=sinks.index("out2"), result=3, stages=again),
        "out3": ActionStages(sink=sinks.index("out3"), result=6, stages=moved),
    }
    owners = stage_owners(program, [found[name] for name in sinks])
    assert {vertex: {one.stage for one in shares} for vertex, shares in owners.items()} == {
        0: {0},
        1: {1, 3, 5},
        2: {6},
    }


def test_stages_of_another_shape_are_nobodys(tmp_path: Path) -> None:
    program = lower(plan(job_of(tmp_path, JOBS["sum"])))
    lonely = ActionStages(sink=0, result=0, stages={0: Stage(id=0, tasks=2)})
    assert stage_owners(program, [lonely]) == {}
