"""Every Nexmark query on 100,000 events: here and on a standalone cluster, it gives what plain Python gives."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clusters.plan_runs import SMALL, driver_environment, run_plan
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.worker_python import ROOT
from tests.samples.nexmark_reference import QUERIES, Row, Tables, comparable, read
from tests.samples.test_nexmark import JOBS, NEXMARK, generator, results

EVENTS = 100_000
NAMES = [path.relative_to(NEXMARK).as_posix() for path in JOBS]

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def nexmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the samples with many events."""
    made = shutil.ignore_patterns("output", ".plan", "__pycache__", "data")
    folder = shutil.copytree(NEXMARK, tmp_path_factory.mktemp("samples") / "nexmark", ignore=made)
    generator().write(folder / "data", events=EVENTS, files=4)
    return Path(folder)


@pytest.fixture(scope="module")
def tables(nexmark: Path) -> Tables:
    return read(nexmark / "data")


def run_all(nexmark: Path, master: str) -> dict[str, list[Row]]:
    """What every job wrote, all run in one session; the Python and the YAML of a query write to the same place."""
    found = {}
    for language in ("py", "yaml"):
        names = [name for name in NAMES if name.endswith(language)]
        jobs = [str(nexmark / name) for name in names]
        run = [sys.executable, "-m", "tests.support.several_jobs", master, json.dumps(SMALL), *jobs]
        done = subprocess.run(run, cwd=ROOT, env=driver_environment(), capture_output=True, text=True, check=False)
        assert done.stdout.split() == jobs, done.stderr[-3000:]
        found.update({name: results((nexmark / name).parent / "output") for name in names})
    return found


@pytest.fixture(scope="module")
def local_results(nexmark: Path) -> dict[str, list[Row]]:
    return run_all(nexmark, "local[2]")


@pytest.fixture(scope="module")
def cluster_results(nexmark: Path, standalone: StandaloneCluster) -> dict[str, list[Row]]:
    return run_all(nexmark, standalone.url)


@pytest.fixture(scope="module")
def expected(tables: Tables) -> Callable[[str], list[tuple[object, ...]]]:
    known: dict[str, list[tuple[object, ...]]] = {}

    def of(query: str) -> list[tuple[object, ...]]:
        if query not in known:
            known[query] = comparable(query, QUERIES[query](tables))
        return known[query]

    return of


@pytest.mark.parametrize("name", NAMES)
def test_locally(
    name: str, local_results: dict[str, list[Row]], expected: Callable[[str], list[tuple[object, ...]]]
) -> None:
    query = name.split("/")[0]
    assert comparable(query, local_results[name]) == expected(query)


@pytest.mark.parametrize("name", NAMES)
def test_standalone(
    name: str, cluster_results: dict[str, list[Row]], expected: Callable[[str], list[tuple[object, ...]]]
) -> None:
    query = name.split("/")[0]
    assert comparable(query, cluster_results[name]) == expected(query)


def test_the_command_itself(nexmark: Path, tables: Tables, standalone: StandaloneCluster) -> None:
    """Modules of the folder above are shipped: the cluster's machines have PySpark and nothing else."""
    finished = run_plan(nexmark / "q3" / "job.py", standalone.url)
    assert finished.code == 0, finished.errors
    assert comparable("q3", results(nexmark / "q3" / "output")) == comparable("q3", QUERIES["q3"](tables))
