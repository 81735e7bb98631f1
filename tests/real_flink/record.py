"""Keeps what Flink said about a SQL script, so that `make test` compares without Flink.

python -m tests.real_flink.record tests/real_flink/compiler/sql/NAME.sql ... [--flink 1.20.5]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.flink import install
from planner.frontends.flink_compiler.process import run_beside_flink
from planner.frontends.flink_compiler.programs import sql_asked
from planner.frontends.flink_compiler.request import FlinkRequest
from tests.support import flink_truth

RECORDED = Path(__file__).parents[1] / "planner/frontends/flink_compiler/recorded"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scripts", nargs="+", type=Path)
    parser.add_argument("--flink", default="2.3.0")
    given = parser.parse_args()
    home = install(f"apache-flink-libraries=={given.flink}")
    for script in given.scripts:
        asked = sql_asked(script, FlinkRequest(homes=(("record", home),)), {})[0]
        outcome = run_beside_flink(asked.document(), time_limit=300, program=Path(flink_truth.__file__))
        jobs = [{"job": one["job"], "truth": one["truth"]} for one in outcome.answers if "job" in one]
        ending = "-1.20" if given.flink.startswith("1.20") else ""
        (RECORDED / f"{script.stem}{ending}.json").write_text(json.dumps(jobs, separators=(",", ":")) + "\n")
        print(f"{script.stem}{ending}: {len(jobs)} jobs")


if __name__ == "__main__":
    main()
