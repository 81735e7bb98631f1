"""Large jobs plan without recursion and within 500 MB. How fast is a matter for `make bench`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.jobs import SHAPES, SIZES, row
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import plan

MEGABYTE = 1_000_000
ROOT = Path(__file__).parents[3]

# A process of its own, so that the peak is this job's; any recursion along the job would meet the lowered limit.
SCRIPT = """
import json, sys
from benchmarks.jobs import SHAPES
from tests.support.peak_memory import peak_memory
from planner.job import Location
from planner.pipeline import plan
from planner.frontends.yaml.loader import load_job_data

sys.setrecursionlimit(300)
shape, size = sys.argv[1], int(sys.argv[2])
made = plan(load_job_data(SHAPES[shape](size), Location("big.yaml", 1)))
print(json.dumps({
    "peak": peak_memory(),
    "nodes": len(made.stream_graph.nodes),
    "vertices": len(made.job_graph.vertices),
    "subtasks": made.execution_graph.execution_vertices,
    "channels": made.execution_graph.execution_edges,
    "slots": len(made.physical.slots),
}))
"""

# nodes, vertices, subtasks, channels, slots
EXPECTED = {
    "row": (20_000, 1, 1, 0, 1),
    "unchained_row": (20_000, 20_000, 20_000, 19_999, 1),
    "pipelines": (8_000, 4_000, 8_000, 8_000, 2),
    "wide": (10, 10, 100_000, 9 * 10_000 * 10_000, 10_000),
}


def measure(shape: str, size: int) -> dict[str, Any]:
    script = [sys.executable, "-c", SCRIPT, shape, str(size)]
    finished = subprocess.run(script, capture_output=True, text=True, check=False, cwd=ROOT)
    assert finished.returncode == 0, finished.stderr[-2000:]
    found: dict[str, Any] = json.loads(finished.stdout)
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_a_large_job_is_planned_within_500_megabytes(shape: str) -> None:
    found = measure(shape, SIZES[shape])
    figures = tuple(found[key] for key in ("nodes", "vertices", "subtasks", "channels", "slots"))
    assert figures == EXPECTED[shape]
    assert found["peak"] < 500 * MEGABYTE


def test_a_long_chain_keeps_every_operator_in_order() -> None:
    made = plan(load_job_data(row(3_000), Location("big.yaml", 1)))
    assert made.job_graph is not None
    (vertex,) = made.job_graph.vertices
    assert list(vertex.nodes) == sorted(node.id for node in made.stream_graph.nodes)
    assert vertex.name.count(" -> ") == 2_999


def test_the_peak_is_of_the_process_that_plans_not_of_the_one_that_started_it() -> None:
    holds_much = f"import subprocess, sys; held = bytearray({600 * MEGABYTE}); subprocess.run(sys.argv[1:], check=True)"
    script = [sys.executable, "-c", holds_much, sys.executable, "-c", SCRIPT, "row", "10"]
    finished = subprocess.run(script, capture_output=True, text=True, check=True, cwd=ROOT)
    assert json.loads(finished.stdout)["peak"] < 500 * MEGABYTE
