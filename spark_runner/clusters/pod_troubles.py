"""Says in plain words why a pod does not run, from what the Kubernetes API tells of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

__all__ = ["Trouble", "explain_refusal", "trouble_in_log", "trouble_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What is wrong with a pod. `passing`: waiting may help. `lost`: the pod has run."""

    text: str
    hint: str | None = None
    passing: bool = True
    lost: bool = False


_MEMORY_HINT = "raise spark.executor.memory, or spark.executor.memoryOverhead, which the Python workers take"
_IMAGE_HINT = (
    "is the name right, can the nodes reach the registry, and does spark.kubernetes.container.image.pullSecrets name a "
    "secret for it?"
)
_NO_IMAGE = frozenset({"ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"})
_NO_CONTAINER = frozenset({"CreateContainerConfigError", "CreateContainerError", "RunContainerError"})
_LACKING = {"cpu": ("CPU", "spark.kubernetes.executor.request.cores"), "memory": ("memory", "spark.executor.memory")}


def trouble_of(pod: dict[str, Any]) -> Trouble | None:
    """What keeps a pod from running, or ended it; None for one that runs, or is on its way."""
    status = pod.get("status", {})
    name = pod.get("metadata", {}).get("name", "a pod")
    container = (pod.get("spec", {}).get("containers") or [{}])[0]
    state = ((status.get("containerStatuses") or [{}])[0]).get("state") or {}
    if status.get("phase") == "Failed" and status.get("reason"):
        why = f"{status['reason'].lower()}: {status.get('message', 'no reason was given')}"
        return Trouble(text=f"the pod {name} was {why}", passing=False, lost=True)
    if "terminated" in state:
        return _ended(name, state["terminated"], container)
    if "waiting" in state:
        return _waiting(state["waiting"], container)
    return _unscheduled(status, container)


def trouble_in_log(log: str) -> Trouble | None:
    """What became of the last executor that was lost, as Spark logs it: the pod itself is soon removed."""
    lost = re.findall(
        r"The executor with id (\d+) exited with exit code (\d+).*?termination reason: (\w+)", log, re.DOTALL
    )
    if not lost:
        return None
    executor, code, reason = lost[-1]
    return _ended(f"of executor {executor}", {"exitCode": int(code), "reason": reason}, {})


def explain_refusal(code: int, said: str, url: str, namespace: str) -> Trouble:
    """What an answer of the API server means that is an error."""
    quota = re.search(r"exceeded quota: ([^,]+), requested: (.+?), used: (.+?), limited: (.+)", said, re.DOTALL)
    account = re.search(r'serviceaccount "([^"]+)" not found', said)
    denied = re.search(r'User "([^"]+)" cannot (\w+) resource "([^"]+)"', said)
    absent = re.search(r'namespaces "([^"]+)" not found', said)
    if code == 401:
        return _final(
            f"the API server of {url} does not know us (401 Unauthorized)",
            "is the token or the certificate of the kubeconfig still valid?",
        )
    if quota:
        return _final(
            f"the quota {quota[1]} of the namespace {namespace} leaves no room for a pod: it asks for {quota[2]}, "
            f"{quota[3]} are used, the limit is {quota[4].strip()}",
            "ask for less (spark.executor.memory, spark.kubernetes.executor.request.cores), or wait until others end",
        )
    if account:
        return _final(
            f"the namespace {namespace} has no service account {account[1]}",
            "create it, or name another with --conf spark.kubernetes.authenticate.executor.serviceAccountName=NAME",
        )
    if denied:
        return _final(
            f"{denied[1]} may not {denied[2]} {denied[3]} in the namespace {namespace}",
            "docs/clusters.md lists what a run needs; --conf spark.kubernetes.namespace=NAME chooses another namespace",
        )
    if absent:
        return _final(
            f"there is no namespace {absent[1]}", "--conf spark.kubernetes.namespace=NAME chooses another one"
        )
    if code > 0:
        return _final(f"Kubernetes refuses a pod: {said.strip()}", None)
    return _final(
        f"the API server of {url} cannot be asked: {said.strip()}",
        "is the address right, and does the kubeconfig know its certificate?",
    )


def _final(text: str, hint: str | None) -> Trouble:
    return Trouble(text=text, hint=hint, passing=False)


def _ended(name: str, ended: dict[str, Any], container: dict[str, Any]) -> Trouble | None:
    code = ended.get("exitCode", 0)
    if ended.get("reason") == "OOMKilled":
        limit = container.get("resources", {}).get("limits", {}).get("memory")
        asked = f" of {limit}" if limit else ""
        return Trouble(
            text=f"the pod {name} was killed: it took more memory than its limit{asked}",
            hint=_MEMORY_HINT,
            passing=False,
            lost=True,
        )
    if code:
        return Trouble(text=f"the pod {name} ended with exit code {code}", passing=False, lost=True)
    return None


def _waiting(waiting: dict[str, Any], container: dict[str, Any]) -> Trouble | None:
    reason, message = waiting.get("reason", ""), str(waiting.get("message", "")).strip()
    if reason in _NO_IMAGE or reason == "ErrImagePull":
        why = f": {message}" if message else ""
        return Trouble(
            text=f"the image {container.get('image')} cannot be pulled ({reason}){why}",
            hint=_IMAGE_HINT,
            passing=reason == "ErrImagePull",  # the first try: the next may do better
        )
    if reason in _NO_CONTAINER:
        return Trouble(text=f"a pod's container cannot be started ({reason}): {message}", passing=False)
    return None


def _unscheduled(status: dict[str, Any], container: dict[str, Any]) -> Trouble | None:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("reason") == "Unschedulable":
            message = str(condition.get("message", ""))
            lacking = [kind for kind in _LACKING if f"Insufficient {kind}" in message]
            if not lacking:
                return Trouble(text=f"no node takes a pod: {message}")
            asked = container.get("resources", {}).get("requests", {})
            wanted = " and ".join(f"{_LACKING[kind][0]} ({asked.get(kind, '?')} per pod)" for kind in lacking)
            settings = " and ".join(_LACKING[kind][1] for kind in lacking)
            return Trouble(
                text=f"a pod waits: no node has enough {wanted} free; {settings} ask for less",
                hint=message,
            )
    return None
