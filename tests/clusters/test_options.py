"""What `plan run` passes on to a cluster: Python files, settings, the driver itself."""

from __future__ import annotations

import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.plan_runs import JOBS, SAMPLES, run_plan
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.yarn import YarnCluster

pytestmark = pytest.mark.cluster

ELSEWHERE = JOBS / "elsewhere" / "job.py"
LIBRARY = JOBS / "elsewhere" / "library" / "greetings.py"
GREETINGS = ["hello Ada", "hello Grace"]


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


def test_the_driver_on_the_cluster_in_a_queue(yarn: YarnCluster) -> None:
    """YARN's cluster mode: the same records and figures as with the driver here."""
    job = SAMPLES / "word_count" / "job.py"
    settings = yarn.settings | {"spark.driver.memory": "512m", "spark.yarn.queue": "small"}
    run = run_plan(job, "yarn", "--deploy-mode", "cluster", settings=settings, environment=yarn.environment)
    run.check_like(run_plan(job, "local[2]"))
    (application,) = (one for one in yarn.applications() if one["id"] == run.report["application"])
    assert (application["finalStatus"], application["queue"].rpartition(".")[2]) == ("SUCCEEDED", "small")
