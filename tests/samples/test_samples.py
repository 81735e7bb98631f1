"""The samples: each plans, says what it teaches, and the commands its README shows do work."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import planner
from tests.support.session_runs import run_batch, run_stream

ROOT = Path(__file__).parents[2]
SAMPLES = sorted(path.parent for path in (ROOT / "samples").glob("*/README.md"))
QUERIES = sorted(path.parent for path in (ROOT / "samples/nexmark").glob("q*/README.md"))
JOBS = sorted(path for sample in SAMPLES for path in sample.glob("job.*"))
COMMAND = [str(Path(sys.executable).with_name("plan"))]


def commands(sample: Path) -> list[list[str]]:
    """The command lines that a README shows: in a block, or in the text."""
    text = (sample / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    plan (.+)$", text, re.MULTILINE) + re.findall(r"`plan ([^`]*job\.[^`]+)`", text)
    return [shlex.split(line) for line in shown]


SHOWN = [(sample, arguments) for sample in (*SAMPLES, *QUERIES) for arguments in commands(sample)]
PLANNING = [shown for shown in SHOWN if shown[1][0] != "run"]
MADE = shutil.ignore_patterns("output", ".plan", "__pycache__")

# What every job prints when it runs, worked out by hand from its data.
PRINTED = {
    "kafka_to_hdfs/job.yaml": [],
    "lazy_diamond/job.py": [f"square {n * n}" for n in range(1, 7)] + [f"negative {-n}" for n in range(1, 7)],
    "order_12345/job.yaml": ["first 2", "first 4", "first 6", "second 20", "second 40", "second 60"],
    "order_123546/job.yaml": ["first 20", "first 40", "first 60", "second 4", "second 8", "second 12"],
    "order_enrichment/job.py": [
        "rejected: broken line",
        "rejected: o-09,c-1,mouse,many,2500,2026-03-02T10:45:00",
        "+I[gb, o-04, 219.0]",
        "+I[us, o-02, 438.0]",
        "+I[us, o-11, 1499.0]",
        "+I[de, o-03, 39.5]",
        "+I[de, o-08, 1499.0]",
        "+I[nl, o-05, 4497.0]",
        "+I[nl, o-10, 178.0]",
    ],
    "parallelism_mismatch/job.yaml": [
        "+I[kitchen, 70.7]",
        "+I[kitchen, 71.6]",
        "+I[cellar, 53.6]",
        "+I[cellar, 53.2]",
        "+I[roof, 91.6]",
        "+I[roof, 95.7]",
    ],
    "pyflink_sensors/job.py": [  # as real PyFlink 2.3 prints
        "broken: cellar,60,fifteen",
        "attic, minute 0: 30.7",
        "attic, minute 1: 33.0",
        "attic, minute 2: 31.5",
        "cellar, minute 0: 14.0",
        "cellar, minute 1: 14.5",
        "cellar, minute 2: 15.0",
        "attic has been hot for a minute, at second 90",
    ],
    "source_map_filter/job.py": ["(roof,33.1)", "(roof,35.4)", "(kitchen,30.2)", "(roof,36.0)"],
    "source_map_filter/job.yaml": ["+I[roof, 306.25]", "+I[roof, 308.55]", "+I[kitchen, 303.35]", "+I[roof, 309.15]"],
    "two_streams_join/job.yaml": ["+I[ADA paid 12.5]", "+I[ADA paid 44.0]", "+I[GRACE paid 99.0]"],
    "union/job.py": ["berlin: 3 °C", "berlin: 5 °C", "berlin: 2 °C", "lisbon: 14 °C", "lisbon: 17 °C"],
    "union/job.yaml": [
        f"+I[{place} °C]" for place in ("berlin: 3", "berlin: 5", "berlin: 2", "lisbon: 14", "lisbon: 17")
    ],
    "word_count/job.py": ["(flink,3)", "(hadoop,2)", "(hive,2)", "(spark,1)"],
    "word_count/job.yaml": ["+I[flink, 3]", "+I[hadoop, 2]", "+I[hive, 2]", "+I[spark, 1]"],
}
WRITTEN = {"kafka_to_hdfs/job.yaml": "output", "order_enrichment/job.py": "output/alerts"}


def name_of(value: object) -> str:
    return value.name if isinstance(value, Path) else " ".join(value) if isinstance(value, list) else str(value)


@pytest.fixture
def copied(sample: Path, tmp_path: Path) -> Path:
    """The sample's folder, where a command may write; queries of Nexmark need what they share."""
    if sample in QUERIES:
        return Path(shutil.copytree(sample.parent, tmp_path / "nexmark", ignore=MADE)) / sample.name
    return Path(shutil.copytree(sample, tmp_path / sample.name, ignore=MADE))


def test_the_seeds_examples_are_there() -> None:
    wanted = {"word_count", "source_map_filter", "parallelism_mismatch", "union", "two_streams_join"}
    assert wanted | {"order_12345", "order_123546"} <= {sample.name for sample in SAMPLES}


@pytest.mark.parametrize("path", JOBS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_sample_plans(path: Path) -> None:
    made = planner.load_plan(path)
    assert made.physical is not None
    assert {Path(node.operator.location.file).name for node in made.stream_graph.nodes} == {path.name}


def test_both_languages_give_one_plan() -> None:
    python, yaml = (planner.load_plan(ROOT / "samples/word_count" / name).to_dict() for name in ("job.py", "job.yaml"))
    for document in (python, yaml):
        for node in document["stream_graph"]["nodes"]:
            for key in set(node) - {"id", "name", "parallelism", "chaining_strategy", "operator_id", "source"}:
                del node[key]
    assert python["stream_graph"]["nodes"] == yaml["stream_graph"]["nodes"]
    for stage in ("job_graph", "execution_graph", "physical"):
        assert python[stage] == yaml[stage]


@pytest.mark.parametrize(("sample", "order"), [("order_12345", "12345"), ("order_123546", "123546")])
def test_the_ordering_examples_end_in_the_order_of_their_names(sample: str, order: str) -> None:
    made = planner.load_plan(ROOT / "samples" / sample / "job.yaml")
    assert made.job_graph is not None
    names = [made.stream_graph.by_id[vertex.head].operator.key for vertex in made.job_graph.vertices]
    assert "".join(names) == order


@pytest.mark.parametrize(("sample", "arguments"), PLANNING, ids=name_of)
def test_the_commands_of_a_readme_work(copied: Path, arguments: list[str]) -> None:
    finished = subprocess.run([*COMMAND, *arguments], cwd=copied, capture_output=True, text=True, check=False)
    findings = 1 if arguments[0] == "lint" else 0
    assert finished.returncode in {0, findings}, finished.stderr
    assert finished.stdout or any(copied.glob("*.svg"))


def copy_of(sample: str, tmp_path: Path) -> Path:
    """A sample's folder, where a run may write."""
    return Path(shutil.copytree(ROOT / "samples" / sample, tmp_path / sample, ignore=MADE))


AS_COMMANDS = ("kafka_to_hdfs/job.yaml", "order_enrichment/job.py", "word_count/job.py")


def check_records(path: str, printed: list[str], folder: Path) -> None:
    """Which subtask printed a record is the plan's business; here only what was printed and written counts."""
    assert sorted(re.sub(r"^\d+> ", "", line) for line in printed) == sorted(PRINTED[path])
    if written := WRITTEN.get(path):
        assert any((folder / written).glob("part-*"))


@pytest.mark.spark
@pytest.mark.parametrize("path", AS_COMMANDS)
def test_a_sample_runs_as_its_readme_says(path: str, tmp_path: Path) -> None:
    sample, file = path.split("/")
    folder = copy_of(sample, tmp_path)
    run = [*COMMAND, "run", file, "--master", "local[2]"]
    finished = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    check_records(path, finished.stdout.splitlines(), folder)


@pytest.mark.spark
@pytest.mark.parametrize("path", sorted(set(PRINTED) - set(AS_COMMANDS)))
def test_a_sample_runs_on_spark(path: str, tmp_path: Path, spark: Any) -> None:
    sample, file = path.split("/")
    folder = copy_of(sample, tmp_path)
    check_records(path, run_batch(spark, folder / file), folder)


@pytest.mark.spark
def test_the_cluster_map_counts_every_number(tmp_path: Path, spark: Any) -> None:
    """It prints machines and processes, so only the counts are known beforehand."""
    printed = run_batch(spark, copy_of("cluster_map", tmp_path) / "job.py")
    assert sum(int(line.rsplit(",", 1)[1].rstrip(")")) for line in printed) == 400


def generated(sample: str, tmp_path: Path) -> Path:
    """A copy of a streaming sample, with its input."""
    folder = copy_of(sample, tmp_path)
    subprocess.run([sys.executable, "generate.py"], cwd=folder, check=True)
    return folder


@pytest.mark.spark
def test_the_fraud_detector_raises_the_alerts_of_its_rule(tmp_path: Path) -> None:
    folder = generated("streaming_fraud", tmp_path)
    run = [*COMMAND, "run", "job.py", "--mode", "streaming", "--master", "local[2]"]
    finished = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    printed = [re.sub(r"^\d+> ", "", line) for line in finished.stdout.splitlines()]
    lines = [line for file in sorted((folder / "output/payments").glob("*.csv")) for line in file.open()]
    expected, forget_at, watermark = [], {}, -1
    for account, amount, time in (line.strip().split(",") for line in lines):
        forget_at = {name: deadline for name, deadline in forget_at.items() if deadline > watermark}
        if account in forget_at and float(amount) > 500:
            expected.append(f"alert: {account} paid {float(amount)} right after a small amount")
        forget_at.pop(account, None)
        if float(amount) < 1:
            forget_at[account] = int(time) + 60_000
        watermark = max(watermark, int(time) - 2_001)
    assert expected
    assert sorted(printed) == sorted(expected)


@pytest.mark.spark
def test_the_sessions_tell_what_came_too_late(tmp_path: Path, spark: Any) -> None:
    folder = generated("streaming_sessions", tmp_path)
    printed = run_stream(spark, folder / "job.py", folder / "checkpoint")
    clicks = sum(len(file.read_text().splitlines()) for file in (folder / "output/clicks").glob("*.csv"))
    too_late = [line for line in printed if line.startswith("too late:")]
    sessions = [line for line in printed if not line.startswith("too late:")]
    assert too_late and sessions
    counted = [int(line.rsplit(",", 1)[1].rstrip(")")) for line in sessions]
    assert max(counted) > 1
    assert sum(counted) + len(too_late) >= clicks, "every click is in a session or too late; some in several results"


def test_every_sample_is_run() -> None:
    elsewhere = {
        "cluster_map/job.py",
        "streaming_fraud/job.py",
        "streaming_sessions/job.py",
        "streaming_kafka_word_count/job.py",  # needs a broker: tests/spark_runner/streaming
    }
    assert {*PRINTED, *elsewhere} == {f"{path.parent.name}/{path.name}" for path in JOBS}


@pytest.mark.spark
def test_one_file_is_read_as_a_stream(spark: Any, tmp_path: Path) -> None:
    """Spark's streams read folders and patterns."""
    folder = tmp_path / "a b"
    shutil.copytree(ROOT / "samples" / "source_map_filter", folder)
    printed = run_stream(spark, folder / "job.yaml", tmp_path / "checkpoint")
    assert sorted(line.partition("> ")[2] or line for line in printed) == sorted(PRINTED["source_map_filter/job.yaml"])
