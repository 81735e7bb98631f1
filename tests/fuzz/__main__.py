"""The long run: `python -m tests.fuzz --jobs 2000 --seed 7`.

Every job goes through the workers' code without Spark, in each way there is for that, chained or not, and every
`--every`-th job on a Spark session in one way more. A fault is printed with its seed and with the smallest script that
still shows it.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.description import Job
from tests.fuzz.generation import random_job
from tests.fuzz.model import expected
from tests.fuzz.rendering import Style, render
from tests.fuzz.running import WAYS, Outcome, Way, run
from tests.fuzz.shrinking import shrunk
from tests.support.session_runs import spark_session


def main() -> int:
    """The exit code is 1 where a job failed."""
    options = _arguments()
    started, found, seen = time.monotonic(), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    refusals: Counter[str] = Counter()
    with spark_session() if options.every else contextlib.nullcontext() as spark:
        for number in range(options.jobs):
            seed = options.seed * 1_000_000 + number
            for name in _ways(seed, number, options):
                outcome = _told(seed, name, spark, seen, options)
                found[name, outcome.kind] += 1
                if outcome.kind == "refused":
                    refusals[_signature(outcome)] += 1
                if WAYS[name].spark:
                    print(f"seed {seed}, {name}: {outcome.kind}, {time.monotonic() - started:.0f} s", flush=True)
            if number % 100 == 99:
                print(f"{number + 1} jobs, {time.monotonic() - started:.0f} s", flush=True)
    for name in WAYS:
        counts = {kind: count for (way, kind), count in sorted(found.items()) if way == name}
        if counts:
            print(f"{name}: {', '.join(f'{count} {kind}' for kind, count in counts.items())}")
    for reason, count in refusals.most_common():
        print(f"refused {count} times: {reason}")
    return int(bool(seen))


def _arguments() -> Any:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Random jobs in every way they can run.")
    parser.add_argument("--jobs", type=int, default=100, help="how many jobs (100)")
    parser.add_argument("--seed", type=int, default=0, help="which jobs: another number, other jobs")
    parser.add_argument(
        "--every", type=int, default=10, help="run every n-th job on Spark too, in one way; 0: none (10)"
    )
    parser.add_argument("--way", action="append", choices=sorted(WAYS), help="only this way; may be given again")
    parser.add_argument("--shrink", type=int, default=60, help="at most so many runs to make a failing job small (60)")
    return parser.parse_args()


def _ways(seed: int, number: int, options: Any) -> list[str]:
    on_spark = [name for name, way in WAYS.items() if way.spark]
    if options.way:
        return [name for name in options.way if options.every or name not in on_spark]
    chained = Random(seed).random() < 0.5
    found = [name for name, way in WAYS.items() if not way.spark and (way.batch or way.chained is chained)]
    if options.every and number % options.every == 0:
        found.append(Random(seed).choice(on_spark))
    return found


def _told(seed: int, name: str, spark: Any, seen: Counter[tuple[str, str]], options: Any) -> Outcome:
    job, way = random_job(seed), WAYS[name]
    outcome = run(job, way, spark)
    if not outcome.is_fault:
        return outcome
    kind = (name, _signature(outcome))
    seen[kind] += 1
    if seen[kind] > 1:
        print(f"seed {seed}, {name}: again {kind[1]}", flush=True)
        return outcome
    print(f"\n=== seed {seed}, {name}: {outcome.kind}\n{outcome.message}", flush=True)
    small = shrunk(job, lambda one: _same_fault(run(one, way, spark), outcome), tries=options.shrink)
    _print_small(small, way, run(small, way, spark))
    return outcome


def _same_fault(found: Outcome, first: Outcome) -> bool:
    return found.kind == first.kind and (found.kind == "different" or _signature(found) == _signature(first))


def _signature(outcome: Outcome) -> str:
    """A message without what differs from job to job."""
    if outcome.kind == "different":
        return "different"
    problem = re.search(r'"problem": "([^"]*)', outcome.message) or re.search(r"failed: (.*)", outcome.message)
    text = problem[1] if problem else outcome.message.strip().splitlines()[-1]
    return re.sub(r"\d+", "0", re.sub(r"/\S+", "", text))[:120]


def _print_small(job: Job, way: Way, outcome: Outcome) -> None:
    """The smallest job with the fault, and what became of it when it ran once more: a fault may come and go."""
    print(f"--- made small: {outcome.kind}\n{outcome.message}\n--- the model's lines")
    for line in sorted(expected(job, updates=way.updates, late=way.late).elements()):
        print(line)
    print("--- script")
    print(render(job, Path("data"), _style(way)), flush=True)


def _style(way: Way) -> Style:
    return Style(api=way.api, chained=way.chained, batch=way.batch)


if __name__ == "__main__":
    sys.exit(main())
