"""A node without containers: it does for pods what a kubelet does, and runs their commands as local processes.

What it does as a kubelet would: it registers a node with cores and memory, pulls images (there are only those that a
test has put there), mounts empty folders and config maps, starts a container with its environment, reports phases,
container states and events, kills what takes more memory than its limit, ends what is deleted, serves logs, and keeps
termination messages. A mount is a folder below the pod's own; its path is replaced in the container's environment.
"""

from __future__ import annotations

import contextlib
import http.server
import os
import signal
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.clusters.servers import die_with_parent, processes_in
from tests.kubernetes.api import PODS, Api

_LOOK = 0.1
_UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "k": 10**3, "M": 10**6, "G": 10**9}


@dataclass(frozen=True)
class Image:
    """What a container of this image starts with."""

    entrypoint: tuple[str, ...]
    environment: Mapping[str, str]


@dataclass
class _Pod:
    folder: Path
    limit: int | None
    message: Path
    process: subprocess.Popen[bytes] | None = None
    started: str = ""
    out_of_memory: bool = False
    ended: bool = False
    mounts: dict[str, str] = field(default_factory=dict)


class Kubelet:
    """One node. `images` are those that can be pulled."""

    def __init__(
        self,
        api: Api,
        folder: Path,
        *,
        name: str,
        images: Mapping[str, Image],
        keys: tuple[Path, Path],
        cpu: str = "4",
        memory: str = "6Gi",
    ) -> None:
        self.name, self.folder, self.images = name, folder, images
        self._api, self._pods, self._addresses = api, dict[str, _Pod](), 1
        self._stop = threading.Event()
        self.failure: BaseException | None = None
        self._logs = _serve_logs(self, keys)
        self._register(cpu, memory)
        self._thread = threading.Thread(target=self._work, daemon=True, name=f"kubelet-{name}")
        self._thread.start()

    def close(self) -> None:
        """End the node and all that runs on it."""
        self._stop.set()
        self._thread.join(10)
        self._logs.shutdown()
        for pod in self._pods.values():
            self._kill(pod)

    def kill(self, name: str) -> None:
        """kill -9 of all processes of a pod."""
        self._kill(next(pod for pod in self._pods.values() if pod.folder.name == name))

    def evict(self, pod: dict[str, Any], why: str) -> None:
        """End a pod as a node does that runs out of something."""
        self._kill(self._pods[pod["metadata"]["uid"]])
        self._report(pod, {"phase": "Failed", "reason": "Evicted", "message": why})

    # --- the loop

    def _work(self) -> None:
        while not self._stop.wait(_LOOK):
            try:
                self._look()
            except BaseException as failure:
                if not self._stop.is_set() and not isinstance(failure, urllib.error.HTTPError):
                    self.failure = failure

    def _look(self) -> None:
        pods = self._api.items(PODS, fieldSelector=f"spec.nodeName={self.name}")
        for pod in pods:
            self._attend(pod)
        there = {pod["metadata"]["uid"] for pod in pods}
        for uid in [uid for uid in self._pods if uid not in there]:
            self._kill(self._pods.pop(uid))

    def _attend(self, pod: dict[str, Any]) -> None:
        known = self._pods.get(pod["metadata"]["uid"])
        if "deletionTimestamp" in pod["metadata"]:
            if known is not None:
                self._end(known)
            with contextlib.suppress(urllib.error.HTTPError):
                self._api.call("DELETE", _path(pod), {"gracePeriodSeconds": 0, "kind": "DeleteOptions"})
        elif pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            return
        elif known is None or known.process is None:
            self._start(pod)
        else:
            self._watch(pod, known)

    def _start(self, pod: dict[str, Any]) -> None:
        container = pod["spec"]["containers"][0]
        image = self.images.get(container["image"])
        if image is None:
            self._cannot_pull(pod, container["image"])
            return
        made = self._pods.setdefault(pod["metadata"]["uid"], self._place(pod, container))
        try:
            made.mounts = self._mounts(pod, container, made.folder)
        except urllib.error.HTTPError as missing:
            self._say(pod, "FailedMount", f"MountVolume.SetUp failed: {missing.reason}")
            self._wait(pod, "ContainerCreating", "")
            return
        self._addresses += 1
        address = f"127.0.1.{self._addresses % 250 + 1}"
        environment = {**image.environment, **_environment(pod, container, address, self.name)}
        for there, here in made.mounts.items():
            environment = {key: value.replace(there, here) for key, value in environment.items()}
        words = [*(container.get("command") or image.entrypoint), *container.get("args", ())]
        self._say(pod, "Pulled", f'Container image "{container["image"]}" already present on machine', kind="Normal")
        made.started = _now()
        try:
            with (made.folder / "log").open("wb") as log:
                made.process = subprocess.Popen(
                    words,
                    cwd=made.folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=die_with_parent,
                )
        except OSError as error:
            said = f'exec: "{words[0]}": {(error.strerror or "").lower()}: unknown'
            self._say(pod, "Failed", f"Error: failed to create containerd task: {said}")
            made.ended = True
            self._terminated(pod, made, 128, "StartError", said)
            return
        running = {"running": {"startedAt": made.started}}
        self._report(pod, {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}]}, running)

    def _place(self, pod: dict[str, Any], container: dict[str, Any]) -> _Pod:
        folder = self.folder / pod["metadata"]["name"]
        folder.mkdir(parents=True, exist_ok=True)
        limit = container.get("resources", {}).get("limits", {}).get("memory")
        return _Pod(
            folder=folder,
            limit=None if limit is None else _bytes(limit),
            message=Path(container.get("terminationMessagePath", "/dev/termination-log")),
        )

    def _watch(self, pod: dict[str, Any], known: _Pod) -> None:
        assert known.process is not None
        if known.limit is not None and _memory(known.folder) > known.limit:
            known.out_of_memory = True
            self._kill(known)
        code = known.process.poll()
        if code is None or known.ended:
            return
        known.ended = True
        self._kill(known)  # Python workers outlive their JVM for a moment; a container does not
        code = 128 - code if code < 0 else code
        reason = "OOMKilled" if known.out_of_memory else "Completed" if code == 0 else "Error"
        self._terminated(pod, known, code, reason, _read_once(known.message))

    def _terminated(self, pod: dict[str, Any], known: _Pod, code: int, reason: str, message: str) -> None:
        ended = {"exitCode": code, "reason": reason, "startedAt": known.started, "finishedAt": _now()}
        if message:
            ended["message"] = message
        self._report(pod, {"phase": "Failed" if code else "Succeeded"}, {"terminated": ended})

    def _end(self, known: _Pod, grace: float = 5.0) -> None:
        """SIGTERM, and SIGKILL for what does not end by it."""
        if known.process is not None and known.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(known.process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                known.process.wait(grace)
        self._kill(known)

    def _kill(self, known: _Pod) -> None:
        for pid in processes_in(known.folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if known.process is not None:
            known.process.wait(10)

    # --- what a kubelet says

    def _cannot_pull(self, pod: dict[str, Any], image: str) -> None:
        """The first try and the back-off after it."""
        known = self._pods.setdefault(pod["metadata"]["uid"], self._place(pod, pod["spec"]["containers"][0]))
        why = f'failed to pull and unpack image "{image}": failed to resolve reference "{image}": {image}: not found'
        if not known.started:
            known.started = str(time.monotonic())
            self._say(pod, "Failed", f'Failed to pull image "{image}": {why}')
            self._wait(pod, "ErrImagePull", why)
        elif time.monotonic() - float(known.started) > 1:
            self._say(pod, "BackOff", f'Back-off pulling image "{image}"', kind="Normal")
            self._wait(pod, "ImagePullBackOff", f'Back-off pulling image "{image}": ErrImagePull: {why}')

    def _wait(self, pod: dict[str, Any], reason: str, message: str) -> None:
        self._report(pod, {"phase": "Pending"}, {"waiting": {"reason": reason, "message": message}})

    def _report(
        self, pod: dict[str, Any], status: dict[str, Any], container_state: dict[str, Any] | None = None
    ) -> None:
        said = dict(status)
        if container_state is not None:
            container = pod["spec"]["containers"][0]
            state = {"name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0}
            said["containerStatuses"] = [{**state, "ready": "running" in container_state, "state": container_state}]
        with contextlib.suppress(urllib.error.HTTPError):  # it may be gone by now
            self._api.call("PATCH", f"{_path(pod)}/status", {"status": said})

    def _say(self, pod: dict[str, Any], reason: str, message: str, *, kind: str = "Warning") -> None:
        meta = pod["metadata"]
        event = {
            "metadata": {"generateName": f"{meta['name']}.", "namespace": meta["namespace"]},
            "involvedObject": {"kind": "Pod", "name": meta["name"], "namespace": meta["namespace"], "uid": meta["uid"]},
            "reason": reason,
            "message": message,
            "type": kind,
            "source": {"component": "kubelet", "host": self.name},
            "firstTimestamp": _now(),
            "lastTimestamp": _now(),
            "count": 1,
        }
        self._api.call("POST", f"/api/v1/namespaces/{meta['namespace']}/events", event)

    # --- what a container sees

    def _mounts(self, pod: dict[str, Any], container: dict[str, Any], folder: Path) -> dict[str, str]:
        volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes", ())}
        found = {}
        for mount in container.get("volumeMounts", ()):
            volume, here = volumes[mount["name"]], folder / "volumes" / mount["name"]
            if "emptyDir" not in volume and "configMap" not in volume:
                continue
            here.mkdir(parents=True, exist_ok=True)
            if "configMap" in volume:
                path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/configmaps/{volume['configMap']['name']}"
                for name, text in self._api.call("GET", path).get("data", {}).items():
                    (here / name).write_text(text)
            found[mount["mountPath"]] = str(here)
        return found

    def _register(self, cpu: str, memory: str) -> None:
        self._api.ensure("/api/v1/nodes", {"metadata": {"name": self.name, "labels": {"kubernetes.io/os": "linux"}}})
        able = {"cpu": cpu, "memory": memory, "pods": "50", "ephemeral-storage": "50Gi"}
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}
        status = {
            "capacity": able,
            "allocatable": able,
            "conditions": [{**ready, "lastHeartbeatTime": _now(), "lastTransitionTime": _now()}],
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": self._logs.server_address[1]}},
        }
        self._api.call("PATCH", f"/api/v1/nodes/{self.name}/status", {"status": status})
        self._api.call("PATCH", f"/api/v1/nodes/{self.name}", {"spec": {"taints": None}})


def _serve_logs(kubelet: Kubelet, keys: tuple[Path, Path]) -> http.server.ThreadingHTTPServer:
    """What the API server asks for `kubectl logs`: /containerLogs/NAMESPACE/POD/CONTAINER."""

    class Logs(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(address.query))
            file = kubelet.folder / address.path.split("/")[3] / "log"
            lines = file.read_bytes().splitlines(keepends=True) if file.is_file() else []
            text = b"".join(lines[-int(query.get("tailLines", len(lines) or 1)) :])
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Logs)
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.load_cert_chain(*keys)
    server.socket = trust.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True, name="kubelet-logs").start()
    return server


def _path(pod: dict[str, Any]) -> str:
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def _environment(pod: dict[str, Any], container: dict[str, Any], address: str, node: str) -> dict[str, str]:
    fields = {
        "status.podIP": address,
        "status.podIPs": address,
        "metadata.name": pod["metadata"]["name"],
        "metadata.namespace": pod["metadata"]["namespace"],
        "spec.nodeName": node,
    }
    return {
        one["name"]: one.get("value", "")
        if "valueFrom" not in one
        else fields.get(one["valueFrom"].get("fieldRef", {}).get("fieldPath", ""), "")
        for one in container.get("env", ())
    }


def _memory(folder: Path) -> int:
    """What the processes of a pod hold in memory and share with nobody else."""
    total = 0
    for pid in processes_in(folder):
        with contextlib.suppress(OSError, ValueError):
            resident, shared = Path(f"/proc/{pid}/statm").read_text().split()[1:3]
            total += (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return total


def _bytes(written: str) -> int:
    unit = next((unit for unit in _UNITS if written.endswith(unit)), "")
    return int(float(written.removesuffix(unit)) * _UNITS.get(unit, 1))


def _read_once(file: Path) -> str:
    if not file.is_file():
        return ""
    text = file.read_text(errors="replace")[:4096]
    file.unlink()
    return text


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
