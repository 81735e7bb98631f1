"""Runs small jobs on a real Flink with several task managers and prints where our physical stage agrees with it.

    python -m benchmarks.flink.compare [--repeats 6] [--only placement] [--record FILE]

Needs a JDK and installs Flink from PyPI once, as the benchmarks do. `--record` writes the observations, one case per
line: the tests compare the recorded ones in `tests/planner/deployment/recordings`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.flink import java_command
from benchmarks.flink.agreement import disagreements
from benchmarks.flink.cases import all_cases
from benchmarks.flink.recordings import reduce_result
from benchmarks.measure import Unavailable

PROGRAM = Path(__file__).with_name("FlinkCluster.java")
MEASURES = ("placement", "shortage", "restart", "schedule", "buffers")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, compare, and print one line for each case; 1 where something differs."""
    parser = argparse.ArgumentParser(description="Compare the physical stage with a running Flink.")
    parser.add_argument("--repeats", type=int, default=6, help="runs of each placement")
    parser.add_argument("--only", choices=MEASURES, help="one kind of measurement")
    parser.add_argument("--record", type=Path, help="write the observations to this file")
    options = parser.parse_args(arguments)
    cases = [case for case in all_cases(options.repeats) if options.only in (None, case["measure"])]
    try:
        observed = _observe(cases)
    except Unavailable as error:
        print(error, file=sys.stderr)
        return 3
    recorded = [reduce_result(case, runs) for case, runs in zip(cases, observed, strict=True) if _whole(case, runs)]
    if options.record:
        lines = (json.dumps(one, separators=(",", ":")) for one in recorded)
        options.record.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return _report(recorded, len(cases))


def _observe(cases: list[dict[str, Any]]) -> list[list[Any]]:
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "cases.json"), Path(folder, "observed.json")
        asked.write_text(json.dumps(cases), encoding="utf-8")
        subprocess.run([*java_command(PROGRAM), str(asked), str(answered)], check=True)
        return [found["runs"] for found in json.loads(answered.read_text(encoding="utf-8"))]


def _whole(case: dict[str, Any], runs: list[Any]) -> bool:
    """Whether every run came to its end; a text stands for one that did not."""
    failed = [run for run in runs if isinstance(run, str)]
    if failed:
        print(f"not measured  {case['case']}: {failed[0]}")
    return not failed


def _report(recorded: list[dict[str, Any]], asked: int) -> int:
    agreed = 0
    for one in recorded:
        wrong = disagreements(one)
        agreed += not wrong
        print(f"{'differs' if wrong else 'agrees':12}  {one['case']}{''.join(f'; {each}' for each in wrong)}")
    for measure in MEASURES:
        those = [one for one in recorded if one["measure"] == measure]
        if those:
            print(f"{measure}: {sum(not disagreements(one) for one in those)} of {len(those)} agree")
    return 0 if agreed == asked else 1


if __name__ == "__main__":
    sys.exit(main())
