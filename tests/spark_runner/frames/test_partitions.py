"""A native source has as many partitions as its operator has subtasks, however little there is to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.frames.native_pass import with_partitions
from spark_runner.lowering.lower import lower

COUNT = """
parallelism: 2
operators:
  - {id: in, type: source, format: text, path: empty.txt, schema: "value string"}
  - {id: ones, type: map, input: in, select: {value: value, n: "1"}}
  - {id: count, type: sum, input: ones, key_by: value, field: n}
  - {id: out, type: print, input: count}
"""


@pytest.mark.parametrize("text", ["", "a", "a\nb\nc\n"], ids=["empty", "one byte", "three lines"])
@pytest.mark.parametrize("count", [1, 3])
def test_a_source_has_the_partitions_it_is_asked_for(spark: Any, tmp_path: Path, text: str, count: int) -> None:
    (tmp_path / "in.txt").write_text(text)
    frame = with_partitions(spark, spark.read.text(str(tmp_path / "in.txt")), count)
    assert frame._jdf.queryExecution().toRdd().getNumPartitions() == count
    assert sorted(row.value for row in frame.collect()) == text.split()


def test_an_empty_input_runs_each_vertex_in_its_own_stage(spark: Any, tmp_path: Path) -> None:
    from spark_runner.batch.execute import execute
    from spark_runner.figures.action_stages import with_shares

    (tmp_path / "empty.txt").touch()
    (tmp_path / "job.yaml").write_text(COUNT)
    program = lower(plan(load_job(tmp_path / "job.yaml")))
    spark.sparkContext.setJobGroup("empty", "empty")
    result = with_shares(execute(program, spark, events=lambda _: None), program, spark, "empty")
    stages = [vertex.stages for vertex in result.vertices]
    assert len(stages) == 2 and all(stages)
    assert stages[0] != stages[1], "an exchange lies between"
