"""PyFlink jobs never go through the lowering of other jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import UnsupportedOnSpark
from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.lowering.python_layer import refuse_python_layer

_SCRIPT = """
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda x: x).map(lambda x: x).print()
env.execute()
"""


def test_a_pyflink_job_is_refused_with_its_merged_operator(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(_SCRIPT)
    with pytest.raises(UnsupportedOnSpark, match="map-1, map-2") as refused:
        refuse_python_layer(plan(load_job(str(script))))
    assert refused.value.location is not None
    assert refused.value.location.line == 4
