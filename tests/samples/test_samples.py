"""The samples: each plans, says what it teaches, and the commands its README shows do work."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import planner

ROOT = Path(__file__).parents[2]
SAMPLES = sorted(path.parent for path in (ROOT / "samples").glob("*/README.md"))
JOBS = sorted(path for sample in SAMPLES for path in sample.glob("job.*"))
COMMAND = [str(Path(sys.executable).with_name("plan"))]


def commands(sample: Path) -> list[list[str]]:
    """The command lines that a README shows: in a block, or in the text."""
    text = (sample / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    plan (.+)$", text, re.MULTILINE) + re.findall(r"`plan ([^`]*job\.[^`]+)`", text)
    return [shlex.split(line) for line in shown]


SHOWN = [(sample, arguments) for sample in SAMPLES for arguments in commands(sample)]
PLANNING = [shown for shown in SHOWN if shown[1][0] != "run"]
RUNNING = [shown for shown in SHOWN if shown[1][0] == "run"]


def name_of(value: object) -> str:
    return value.name if isinstance(value, Path) else " ".join(value) if isinstance(value, list) else str(value)


@pytest.fixture
def copied(sample: Path, tmp_path: Path) -> Path:
    """The sample's folder, where a command may write."""
    return Path(shutil.copytree(sample, tmp_path / sample.name, ignore=shutil.ignore_patterns("output", "__pycache__")))


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


@pytest.mark.spark
@pytest.mark.parametrize(("sample", "arguments"), RUNNING, ids=name_of)
def test_a_sample_runs_on_spark(copied: Path, arguments: list[str]) -> None:
    finished = subprocess.run([*COMMAND, *arguments], cwd=copied, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
