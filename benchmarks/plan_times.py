"""Plans the large jobs, as `FlinkPlanTimes.java` does with real Flink.

usage: python -m benchmarks.plan_times [SHAPE SIZE]. Without arguments, it reads `SHAPE SIZE` from every line of its
input and answers with the seconds from the first operator's definition to the slots.
"""

from __future__ import annotations

import sys
import time

from benchmarks.jobs import SHAPES
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import plan


def plan_seconds(shape: str, size: int) -> float:
    """How long one plan takes."""
    start = time.perf_counter()
    plan(load_job_data(SHAPES[shape](size), Location(f"{shape}.yaml", 1)))
    return time.perf_counter() - start


def main(arguments: list[str]) -> None:
    """One job, or one for every line of the input."""
    for asked in (arguments,) if arguments else map(str.split, sys.stdin):
        shape, size = asked
        print(plan_seconds(shape, int(size)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
