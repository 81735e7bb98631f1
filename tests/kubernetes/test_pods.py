"""What keeps an executor's pod from running, found before Spark starts and told in plain words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planner.errors import ExecutionError
from planner.machine.java import find_java
from spark_runner.clusters.gateway import Gateway, start_gateway, talk_to
from spark_runner.clusters.kubernetes import APPLICATION, Pods, new_application
from spark_runner.clusters.master import parse_master
from tests.clusters.plan_runs import SMALL
from tests.kubernetes.cluster import BROKEN, EMPTY, NAMESPACE, NO_ARROW, OLD, KubernetesCluster

pytestmark = pytest.mark.kubernetes
IMAGE = "spark.kubernetes.container.image"


@pytest.fixture(scope="module")
def jvm(whole_cluster: KubernetesCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Gateway]]:
    """A driver's JVM without a session, as it is when pods are checked."""
    folder = tmp_path_factory.mktemp("jvm")
    before = dict(os.environ)
    os.environ |= whole_cluster.environment
    try:
        gateway = start_gateway(
            ["pyspark-shell"], java=find_java(), log=folder / "log", local=False, meanwhile=lambda: None
        )
    finally:
        os.environ.clear()
        os.environ |= before
    yield talk_to(gateway).jvm, gateway
    gateway.process.kill()


def pods(kubernetes: KubernetesCluster, jvm: tuple[Any, Gateway], settings: dict[str, str]) -> Pods:
    own = {APPLICATION: new_application(), "spark.app.name": "check", "spark.driver.host": "127.0.0.1"}
    chosen = {**SMALL, **kubernetes.settings, "spark.master": kubernetes.url, **own, **settings}
    return Pods(jvm[0], jvm[1].process, parse_master(kubernetes.url), chosen)


def check(pods: Pods, python: str) -> None:
    try:
        pods.check(python)
    finally:
        pods.remove()


def test_a_pod_that_is_fine(kubernetes: KubernetesCluster, jvm: tuple[Any, Gateway]) -> None:
    check(pods(kubernetes, jvm, {}), kubernetes.python)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {IMAGE: "plan.tests/nobody:1"},
            ("the image plan.tests/nobody:1 cannot be pulled", "not found", "pullSecrets"),
        ),
        ({IMAGE: OLD}, ("has Python 3.9", "the same minor version", "PYSPARK_PYTHON")),
        ({IMAGE: NO_ARROW}, ("has no pyarrow", "pip install")),
        ({IMAGE: BROKEN}, ("exit code 1", "cannot open shared object file")),
        ({IMAGE: EMPTY}, ("there is no python3", "PYSPARK_PYTHON")),
        ({"spark.kubernetes.authenticate.executor.serviceAccountName": "nobody"}, ("has no service account nobody",)),
        ({"spark.driver.host": "192.0.2.1"}, ("pods cannot reach this machine at 192.0.2.1", "spark.driver.host")),
        ({"spark.kubernetes.executor.label.a": "no label!"}, ("Kubernetes refuses a pod", "no label!")),
    ],
    ids=["image", "python", "pyarrow", "broken", "empty", "account", "way back", "invalid"],
)
def test_pods_that_cannot_start(
    settings: dict[str, str], words: tuple[str, ...], kubernetes: KubernetesCluster, jvm: tuple[Any, Gateway]
) -> None:
    with pytest.raises(ExecutionError) as refusal:
        check(pods(kubernetes, jvm, settings), kubernetes.python)
    said = f"{refusal.value.message}\n{refusal.value.hint}"
    for word in words:
        assert word in said


def test_no_right_to_make_pods(kubernetes: KubernetesCluster, jvm: tuple[Any, Gateway]) -> None:
    with pytest.raises(ExecutionError, match="developer may not create pods in the namespace default"):
        pods(kubernetes, jvm, {"spark.kubernetes.namespace": "default"}).check(kubernetes.python)


def test_a_token_that_nobody_knows(kubernetes: KubernetesCluster, jvm: tuple[Any, Gateway], tmp_path: Path) -> None:
    token = {"spark.kubernetes.authenticate.oauthToken": "wrong"}
    with pytest.raises(ExecutionError, match="does not know us"):
        pods(kubernetes, jvm, token).check(kubernetes.python)


@pytest.fixture
def quota(kubernetes: KubernetesCluster) -> Iterator[str]:
    """A quota that is used up, with the figures that a controller would have put there."""
    path = f"/api/v1/namespaces/{NAMESPACE}/resourcequotas"
    limits = {"limits.memory": "1Gi"}
    kubernetes.api.call("POST", path, {"metadata": {"name": "small"}, "spec": {"hard": limits}})
    status = {"hard": limits, "used": {"limits.memory": "900Mi"}}
    kubernetes.api.call("PATCH", f"{path}/small/status", {"status": status})
    yield "small"
    kubernetes.api.call("DELETE", f"{path}/small")


def test_a_quota_that_is_used_up(kubernetes: KubernetesCluster, jvm: tuple[Any, Gateway], quota: str) -> None:
    with pytest.raises(ExecutionError, match=f"the quota {quota} of the namespace {NAMESPACE} leaves no room.*900Mi"):
        pods(kubernetes, jvm, {}).check(kubernetes.python)
