"""The cluster that the tests share: started when the first test asks for it, stopped after the last."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kubernetes.binaries import NoKubernetes, kubernetes_servers, required
from tests.kubernetes.cluster import KubernetesCluster


@pytest.fixture(scope="session")
def whole_cluster() -> Iterator[KubernetesCluster]:
    """A cluster of one node; without Go the test is skipped, or fails where it must not be."""
    try:
        kubernetes_servers()
    except NoKubernetes as reason:
        if required():
            pytest.fail(f"PLAN_REQUIRE_KUBERNETES=1, yet {reason}")
        pytest.skip(str(reason))
    with KubernetesCluster() as cluster:
        yield cluster


@pytest.fixture
def kubernetes(whole_cluster: KubernetesCluster) -> Iterator[KubernetesCluster]:
    """The cluster; whatever a test does, no pod and no config map is left after it."""
    yield whole_cluster
    whole_cluster.wait_until_empty()
