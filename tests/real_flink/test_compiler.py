"""SQL scripts, mains and PyFlink scripts through real Flink: every plan of ours equals Flink's own job graph.

PLAN_TEST_FLINK_HOMES names more distributions, separated as on a PATH; PLAN_TEST_PYFLINK a Python with apache-flink.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.flink import install, tool
from benchmarks.measure import Unavailable
from planner.frontends.flink_compiler.process import Outcome, run_beside_flink
from planner.frontends.flink_compiler.programs import Asked, jar_asked, script_asked, sql_asked
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.frontends.flink_export.stream_graph import job_of_graph
from planner.pipeline import plan
from tests.support import flink_truth

pytestmark = pytest.mark.flink
CASES = Path(__file__).with_name("compiler")
REFUSED = {"missing_format", "own10_union_hint", "own15_missing_connector"}
TWO_JOBS = {"ctas_then_batch", "mode_late", "own12_two_jobs"}
# A main, the number of its jobs, and how it ends.
MAINS: dict[str, tuple[int, dict[str, Any] | None]] = {
    "Two": (2, {"jobs": 2}),
    "Args": (0, {"exit": 64}),
    "Collect": (2, {"jobs": 2}),
    "Exit": (1, {"exit": 0}),
    "Swallow": (1, {"jobs": 1}),
    "Local": (0, None),
    "Remote": (0, None),
    "Async": (1, {"jobs": 1}),
    "InThread": (1, {"jobs": 1}),
    "Sql": (1, {"jobs": 1}),
    "Mixed": (1, {"jobs": 1}),
    "NoJob": (0, {"jobs": 0}),
    "Await": (1, {"jobs": 1}),
}


def homes() -> list[str]:
    return ["newest", *filter(None, os.environ.get("PLAN_TEST_FLINK_HOMES", "").split(os.pathsep))]


@pytest.fixture(scope="session", params=homes(), ids=lambda home: Path(home).name)
def home(request: pytest.FixtureRequest) -> Path:
    if not os.environ.get("PLAN_TEST_FLINK"):
        pytest.skip("real Flink is only asked by make test-flink")
    try:
        return install() if request.param == "newest" else Path(request.param)
    except Unavailable as reason:
        pytest.skip(str(reason))


def ask(asked: Asked) -> Outcome:
    program = Path(flink_truth.__file__)
    request = {"way": asked.way, **asked.document}
    return run_beside_flink(request, time_limit=300, interpreter=asked.interpreter, program=program)


def assert_equal(outcome: Outcome) -> int:
    jobs = [answer for answer in outcome.answers if "job" in answer]
    for answer in jobs:
        compiled = plan(job_of_graph(answer["job"], "case", {}), until="job")
        assert flink_truth.differences(compiled, answer["truth"]) == []
    return len(jobs)


@pytest.mark.parametrize("script", sorted((CASES / "sql").glob("*.sql")), ids=lambda script: script.stem)
def test_sql(script: Path, home: Path) -> None:
    outcome = ask(sql_asked(script, FlinkRequest(homes=(("test", home),)), {})[0])
    found = assert_equal(outcome)
    assert found or outcome.of("failure")
    assert found or script.stem in REFUSED
    assert found <= 1 or (found == 2 and script.stem in TWO_JOBS)


@pytest.fixture(scope="session")
def jar(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jar")
    jars = os.pathsep.join(str(one) for one in sorted((home / "pyflink/lib").glob("*.jar")))
    command = [tool("javac"), "-nowarn", "-cp", jars, "-d", str(folder / "classes"), str(CASES / "jar/Jobs.java")]
    subprocess.run(command, check=True, capture_output=True)
    subprocess.run([tool("jar"), "cf", str(folder / "jobs.jar"), "-C", str(folder / "classes"), "."], check=True)
    return folder / "jobs.jar"


@pytest.mark.parametrize("main", MAINS)
def test_jar(main: str, home: Path, jar: Path) -> None:
    request = FlinkRequest(homes=(("test", home),), main_class=f"jobs.Jobs${main}")
    outcome = ask(jar_asked(jar, (), request, {"parallelism.default": "4"}))
    jobs, end = MAINS[main]
    assert assert_equal(outcome) == jobs
    assert outcome.of("end") == ([] if end is None else [end])


def test_pyflink() -> None:
    python = os.environ.get("PLAN_TEST_PYFLINK")
    if not python:
        pytest.skip("PLAN_TEST_PYFLINK names no Python with apache-flink")
    outcome = ask(script_asked(CASES / "pyflink/own_all.py", (), FlinkRequest(python=Path(python)), {}))
    assert assert_equal(outcome) == 6
