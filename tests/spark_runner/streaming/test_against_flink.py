"""Event-time scripts that real PyFlink ran, against the engine, with the input cut into batches in three ways.

`tests/support/record_flink_streams.py` recorded Flink's results.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import planner
from planner import StreamExecutionEnvironment
from tests.support.flink_scripts import SCRIPTS
from tests.support.stream_engine import StreamEngine

RESULTS = json.loads(gzip.decompress((Path(__file__).parent / "flink_results.json.gz").read_bytes()))


def engine_result(name: str, cuts: list[int]) -> list[list[Any]]:
    """What the engine gives, in any order."""
    env = StreamExecutionEnvironment()
    env.set_parallelism(1)
    SCRIPTS[name](planner, env).print()
    engine = StreamEngine(env.build(name))
    return sorted(list(value) for _, value in engine.run(cuts)[0])


@pytest.mark.parametrize("name", SCRIPTS)
def test_flink_gave_the_same(name: str) -> None:
    assert len(RESULTS[name]) > 0
    for cuts in ([], [7, 40, 41], list(range(0, 80, 3))):
        assert engine_result(name, cuts) == RESULTS[name]
