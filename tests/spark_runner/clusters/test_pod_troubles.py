"""Why a pod does not run, from statuses as Kubernetes gives them."""

from __future__ import annotations

from typing import Any

import pytest

from spark_runner.clusters.pod_troubles import explain_refusal, trouble_in_log, trouble_of

RESOURCES = {"requests": {"cpu": "4", "memory": "896Mi"}, "limits": {"memory": "896Mi"}}


def pod(state: dict[str, Any] | None = None, **status: Any) -> dict[str, Any]:
    container = {"name": "spark", "image": "spark:4.3", "resources": RESOURCES}
    told = {"containerStatuses": [{"state": state}], **status} if state is not None else status
    return {"metadata": {"name": "exec-1"}, "spec": {"containers": [container]}, "status": told}


def unschedulable(message: str) -> dict[str, Any]:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return pod(phase="Pending", conditions=[condition])


@pytest.mark.parametrize(
    ("seen", "words", "passing"),
    [
        (
            pod({"waiting": {"reason": "ErrImagePull", "message": "not found"}}),
            "the image spark:4.3 cannot be pulled (ErrImagePull): not found",
            True,
        ),
        (pod({"waiting": {"reason": "ImagePullBackOff"}}), "the image spark:4.3 cannot be pulled", False),
        (pod({"waiting": {"reason": "InvalidImageName"}}), "the image spark:4.3 cannot be pulled", False),
        (
            pod({"waiting": {"reason": "CreateContainerConfigError", "message": 'secret "s" not found'}}),
            'a pod\'s container cannot be started (CreateContainerConfigError): secret "s" not found',
            False,
        ),
        (
            unschedulable("0/3 nodes are available: 3 Insufficient cpu."),
            "no node has enough CPU (4 per pod) free; spark.kubernetes.executor.request.cores ask",
            True,
        ),
        (unschedulable("0/3 nodes are available: 3 Insufficient memory."), "enough memory (896Mi per pod)", True),
        (unschedulable("0/3 nodes are available: 3 node(s) had taints."), "no node takes a pod: 0/3 nodes", True),
        (
            pod({"terminated": {"exitCode": 137, "reason": "OOMKilled"}}, phase="Failed"),
            "the pod exec-1 was killed: it took more memory than its limit of 896Mi",
            False,
        ),
        (pod({"terminated": {"exitCode": 3}}, phase="Failed"), "the pod exec-1 ended with exit code 3", False),
        (
            pod(phase="Failed", reason="Evicted", message="The node was low on resource: memory."),
            "the pod exec-1 was evicted: The node was low on resource: memory.",
            False,
        ),
    ],
)
def test_troubles(seen: dict[str, Any], words: str, passing: bool) -> None:
    found = trouble_of(seen)
    assert found is not None
    assert words in found.text
    assert found.passing is passing


@pytest.mark.parametrize(
    "seen",
    [
        pod(),
        pod({"running": {}}, phase="Running"),
        pod({"waiting": {"reason": "ContainerCreating"}}, phase="Pending"),
        pod({"terminated": {"exitCode": 0, "reason": "Completed"}}, phase="Succeeded"),
        {},
    ],
)
def test_no_trouble(seen: dict[str, Any]) -> None:
    assert trouble_of(seen) is None


@pytest.mark.parametrize(
    ("code", "said", "words"),
    [
        (401, "Unauthorized", "does not know us"),
        (404, 'namespaces "jobs" not found', "there is no namespace jobs"),
        (422, 'Pod "x" is invalid: spec.nodeName', "Kubernetes refuses a pod"),
        (0, "Connection refused: 127.0.0.1:1", "cannot be asked: Connection refused"),
    ],
)
def test_refusals(code: int, said: str, words: str) -> None:
    found = explain_refusal(code, said, "k8s://https://host", "jobs")
    assert words in found.text
    assert not found.passing


LOST = """\
ERROR TaskSchedulerImpl: Lost executor {id} on 127.0.1.5:
The executor with id {id} exited with exit code {code}(SIGKILL, possible container OOM).
     container state: terminated
     exit code: {code}
     termination reason: {reason}
"""


def test_the_last_lost_executor_of_a_log() -> None:
    killed = LOST.format(id=1, code=137, reason="Error")
    assert trouble_in_log("nothing of the kind") is None
    assert "of executor 1 ended with exit code 137" in str(trouble_in_log(killed))
    assert "more memory than its limit" in str(trouble_in_log(killed + LOST.format(id=2, code=137, reason="OOMKilled")))
