"""What `plan run` passes on to a cluster: Python files, packages, archives, settings."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.plan_runs import JOBS, SMALL, Finished, run_plan
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.worker_python import build_python
from tests.clusters.yarn import YarnCluster

pytestmark = pytest.mark.cluster

ELSEWHERE = JOBS / "elsewhere" / "job.py"
LIBRARY = JOBS / "elsewhere" / "library" / "greetings.py"
GREETINGS = ["hello Ada", "hello Grace"]
PACKAGE = "tests.plan:greeting:1.0"


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
    """A package of a repository in a folder, through Spark's Ivy; nothing of the machine's own repositories is used."""
    own = ivy_of(tmp_path, package_in(tmp_path / "repository", jar=True))
    run = run_plan(JOBS / "packages" / "job.py", standalone.url, "--packages", PACKAGE, settings=own)
    assert run.code == 0, run.errors
    assert run.printed == ["tests.plan_greeting-1.0.jar"]


def test_a_description_without_its_jar_is_named_with_the_folder_to_remove(tmp_path: Path) -> None:
    """Any `mvn` may leave that in the local Maven repository, and Ivy then looks nowhere else."""
    left = package_in(tmp_path / "home" / ".m2" / "repository", jar=False)
    own = ivy_of(tmp_path, package_in(tmp_path / "repository", jar=True))
    run_plan(ELSEWHERE, "local[1]", "--packages", PACKAGE, settings=own).check_refusal(
        "without its jar", f"remove the folder {left / 'tests' / 'plan' / 'greeting' / '1.0'}"
    )


def package_in(repository: Path, *, jar: bool) -> Path:
    """A Maven repository with one package, or with its description alone."""
    folder = repository / "tests" / "plan" / "greeting" / "1.0"
    folder.mkdir(parents=True)
    (folder / "greeting-1.0.pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>tests.plan</groupId>"
        "<artifactId>greeting</artifactId><version>1.0</version></project>"
    )
    if jar:
        with zipfile.ZipFile(folder / "greeting-1.0.jar", "w") as archive:
            archive.writestr("greeting.txt", "hello")
    return repository


def ivy_of(folder: Path, repository: Path) -> dict[str, str]:
    """Settings with a cache, a home and a repository of the test's own."""
    options = f"-Duser.home={folder / 'home'} {SMALL['spark.driver.defaultJavaOptions']}"
    return {
        "spark.jars.ivy": str(folder / "ivy"),
        "spark.jars.repositories": repository.as_uri(),
        "spark.driver.defaultJavaOptions": options,
    }


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
