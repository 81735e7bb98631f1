"""What `plan run` passes on to a cluster: Python files, packages, archives, settings."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.hadoop_jars import required
from tests.clusters.plan_runs import JOBS, Finished, run_plan
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.worker_python import build_python
from tests.clusters.yarn import YarnCluster

pytestmark = pytest.mark.cluster

ELSEWHERE = JOBS / "elsewhere" / "job.py"
LIBRARY = JOBS / "elsewhere" / "library" / "greetings.py"
GREETINGS = ["hello Ada", "hello Grace"]
PACKAGE = "aopalliance:aopalliance:1.0"  # four kilobytes, and needs no other


def test_python_files_and_settings_reach_standalone(standalone: StandaloneCluster) -> None:
    with_settings = ("--py-files", str(LIBRARY), "--conf", "spark.app.name=greetings of the day")
    run = run_plan(ELSEWHERE, standalone.url, *with_settings)
    assert (run.code, run.errors.count("error: ")) == (0, 0), run.errors
    assert run.printed == GREETINGS
    ended = standalone.leader.state()["completedapps"]
    assert "greetings of the day" in [application["name"] for application in ended]


def test_python_files_reach_connect(connect: ConnectServer) -> None:
    run = run_plan(ELSEWHERE, connect.url, "--py-files", str(LIBRARY))
    assert run.code == 0, run.errors
    assert run.printed == GREETINGS


def test_a_module_that_nobody_ships_is_blamed_on_the_operator(standalone: StandaloneCluster) -> None:
    run_plan(ELSEWHERE, standalone.url).check_refusal("map-1", "greetings")


def test_packages_reach_the_workers(standalone: StandaloneCluster, tmp_path: Path) -> None:
    """A small package of Maven Central, through Spark's Ivy, with a cache of the test's own."""
    ivy = {"spark.jars.ivy": str(tmp_path)}
    run = run_plan(JOBS / "packages" / "job.py", standalone.url, "--packages", PACKAGE, settings=ivy)
    if "there is no package" in run.errors and not required():
        pytest.skip(f"{PACKAGE} is not to be had here")
    assert run.code == 0, run.errors
    assert run.printed == ["aopalliance_aopalliance-1.0.jar"]


@pytest.mark.parametrize(
    ("package", "words"), [("nowhere.plan:nothing:1.0", "there is no package"), ("nothing", "group:artifact:version")]
)
def test_a_package_that_is_not_there_is_named(package: str, words: str) -> None:
    run_plan(ELSEWHERE, "local[1]", "--packages", package).check_refusal(words, package)


def test_packages_are_not_for_connect(connect: ConnectServer) -> None:
    run_plan(ELSEWHERE, connect.url, "--packages", PACKAGE).check_refusal("--packages", code=2)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the workers' packages and one module that no machine of the cluster has."""
    folder = tmp_path_factory.mktemp("archive")
    packages = next(build_python(folder / "python").glob("lib/python*/site-packages"))
    (packages / LIBRARY.name).write_bytes(LIBRARY.read_bytes())
    packed = folder / "python.tar.gz"
    with tarfile.open(packed, "w:gz", compresslevel=1) as target:
        target.add(folder / "python", arcname=".")
    return packed


@pytest.fixture(scope="module")
def locally() -> Finished:
    return run_plan(ELSEWHERE, "local[2]", "--py-files", str(LIBRARY))


@pytest.mark.parametrize("mode", ["client", "cluster"])
def test_a_python_in_an_archive_and_a_queue(mode: str, yarn: YarnCluster, archive: Path, locally: Finished) -> None:
    """YARN unpacks the archive for each container, that of a driver too; nothing else has the module."""
    settings = yarn.settings | {
        "spark.archives": f"{archive}#environment",
        "spark.yarn.queue": "small",
    }
    environment = yarn.environment | {"PYSPARK_PYTHON": "./environment/bin/python"}
    run = run_plan(ELSEWHERE, "yarn", "--deploy-mode", mode, settings=settings, environment=environment)
    run.check_like(locally)
    assert run.printed == GREETINGS
    (application,) = (one for one in yarn.applications() if one["id"] == run.report["application"])
    assert (application["finalStatus"], application["queue"].rpartition(".")[2]) == ("SUCCEEDED", "small")
