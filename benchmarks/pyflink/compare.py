"""Compare our plans of PyFlink scripts with real PyFlink's, as real_plans.py wrote them down.

python -m benchmarks.pyflink.compare plans.jsonl [--parallelism N] [--flink VERSION]
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from planner.errors import PlanError
from planner.frontends.python_files.handover import LoadOptions
from planner.frontends.python_loader import load_all_python
from planner.pipeline import plan

TABLE_NODE = re.compile(r"(?<=[\w*])\[(\d+)\]")
UNNAMED = re.compile(r"(?<=\$)(\d+)(?=\*)")
COLLECT = "Data stream collect sink"


def main() -> int:
    """Print every difference and how many scripts are equal; 1 where some are not."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("plans", type=Path)
    arguments.add_argument("--parallelism", type=int, default=1, help="the default of the machine that compiled them")
    arguments.add_argument("--flink", help="the version of the PyFlink that compiled them; the newest unless given")
    given = arguments.parse_args()
    lines = [line.removeprefix("PLAN ") for line in given.plans.read_text().splitlines() if line.startswith("PLAN ")]
    options = LoadOptions(parallelism=given.parallelism, parallelism_origin="the comparison", flink=given.flink)
    wrong = [found for line in lines if (found := compared(json.loads(line), options)) is not None]
    print("\n".join(wrong))
    print(f"{len(lines) - len(wrong)} of {len(lines)} scripts are equal")
    return 1 if wrong else 0


def compared(case: dict[str, Any], options: LoadOptions) -> str | None:
    """What is different in one script; None where nothing is."""
    name = case["script"]
    try:
        plans = [plan(job).to_dict() for job in load_all_python(Path(name), options)]
    except PlanError as error:
        return None if case["error"] else f"{name}: refused: {error}"
    if case["error"]:
        return f"{name}: real PyFlink refuses it: {case['error'].strip()[:300]}"
    found = first_difference(from_one(plans), from_one(case["plans"]), "")
    return f"{name}: {found}" if found else None


def from_one(plans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Plans whose tables are counted from 1: Flink counts them in the whole process, and a name has the number."""
    text = json.dumps(plans)
    for pattern, shown in ((TABLE_NODE, "[{}]"), (UNNAMED, "{}")):
        first = min(map(int, pattern.findall(text)), default=1)
        text = pattern.sub(lambda node, shown=shown, first=first: shown.format(int(node[1]) - first + 1), text)
    counted: list[dict[str, Any]] = json.loads(text)
    return counted


def first_difference(ours: Any, real: Any, path: str) -> str | None:
    """The first value that differs; vertices with a collect sink have ids of the process, not of the script."""
    if isinstance(real, dict) and COLLECT in str(real.get("name")):
        real = {key: value for key, value in real.items() if key not in ("id", "operator_ids")}
    if isinstance(real, dict):
        pairs = [(ours[key], real[key], f"{path}.{key}") for key in real]
    elif isinstance(real, list):
        if len(ours) != len(real):
            return f"{path} has {len(ours)} entries, real {len(real)}"
        pairs = [(mine, its, f"{path}[{at}]") for at, (mine, its) in enumerate(zip(ours, real, strict=True))]
    else:
        return None if ours == real else f"{path} is {ours!r}, real {real!r}"
    return next((found for pair in pairs if (found := first_difference(*pair))), None)


if __name__ == "__main__":
    raise SystemExit(main())
