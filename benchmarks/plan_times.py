"""Our own planning times on one of the large jobs, as `FlinkPlanTimes.java` prints Flink's.

usage: python -m benchmarks.plan_times SHAPE SIZE ROUNDS. One JSON line: the seconds of every round, from the first
operator's definition to the slots, and the process's peak memory in bytes.
"""

from __future__ import annotations

import json
import resource
import sys
import time

from benchmarks.jobs import SHAPES
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import plan


def main(shape: str, size: int, rounds: int) -> None:
    """Plan the job so many times and print what it took."""
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        plan(load_job_data(SHAPES[shape](size), Location(f"{shape}.yaml", 1)))
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(json.dumps({"seconds": seconds, "peak": peak}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
