"""The pods of a run on Kubernetes: checked before Spark starts, watched while they cannot run, removed at the end.

Everything goes through the Kubernetes client that Spark itself makes in the driver's JVM from the run's settings:
whatever lets Spark in (a kubeconfig, a token, a certificate) lets us in too.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

from planner.errors import ExecutionError
from spark_runner.clusters.master import Master
from spark_runner.clusters.master_version import check_same_version
from spark_runner.clusters.pod_troubles import Trouble, explain_refusal, trouble_of

__all__ = ["APPLICATION", "Pods", "new_application"]

APPLICATION = "spark.app.id"
_IMAGES = ("spark.kubernetes.executor.container.image", "spark.kubernetes.container.image")
_NAMESPACE = "spark.kubernetes.namespace"
_SELECTOR = "spark-app-selector"  # the label that Spark puts on all it makes for one application
_ROLE = "spark-role"
_LOOK = 1.0  # seconds between two looks at the pods
_LONGEST_SILENCE = 10.0  # seconds that a container may take to say what it waits for
_LAST_LINES = 5
_KINDS = ("pods", "configmaps")  # what Spark makes in client mode

# Runs in the image's Python, whatever its version is. Its answer is the container's termination message.
_CHECK = """\
import glob, json, os, socket, sys
said = {"python": "%d.%d" % sys.version_info[:2]}
try:
    from importlib.util import find_spec
    said["pyarrow"] = find_spec("pyarrow") is not None
except ImportError:
    said["pyarrow"] = False
jars = glob.glob(os.path.join(os.environ.get("SPARK_HOME", "/opt/spark"), "jars", "spark-core_*.jar"))
said["spark"] = jars[0].rsplit("-", 1)[1][:-4] if jars else None
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), 10).close()
    said["cut off"] = None
except Exception as error:
    said["cut off"] = str(error)
with open(sys.argv[3], "w") as answer:
    json.dump(said, answer)
"""


def new_application() -> str:
    """An id for the application. Known before Spark starts, it finds the pods of one that did not get far."""
    return f"plan-{secrets.token_hex(8)}"


class Pods:
    """The pods of one application, seen through the Kubernetes client of a JVM."""

    def __init__(self, jvm: Any, process: subprocess.Popen[bytes], master: Master, settings: Mapping[str, str]) -> None:
        self._jvm, self.process, self._master = jvm, process, master
        self._conf = jvm.org.apache.spark.SparkConf()  # with what files of settings say
        for key, value in settings.items():
            self._conf.set(key, value)
        self.application = settings[APPLICATION]
        self._namespace = self._setting(_NAMESPACE, "default")
        self._client = self._new_client()
        self._stop = threading.Event()
        self.waits_for: str | None = None  # what keeps all of the run's pods from running
        self.last: Trouble | None = None  # what became of the last pod that was lost
        self.removed = False

    # --- before Spark starts

    def check(self, python: str) -> None:
        """Run an executor's pod with another command, to see that it starts, has our Python, and reaches this machine.

        It is the pod that Spark would make, so whatever keeps executors from running keeps this one from running too.
        """
        own = not python.startswith(".")  # else the Python comes with the run, and is not there yet
        address = self._setting("spark.driver.host")
        with _listening(address, int(self._setting("spark.driver.port", "0"))) as port:
            pod = self._pod_to_check([python, "-c", _CHECK, address, str(port)] if own else ["true"])
            self._call("POST", self._path("pods"), pod)
            try:
                answer = self._ended(pod["metadata"]["name"])
            finally:
                with contextlib.suppress(ExecutionError):
                    self._call("DELETE", self._path("pods", pod["metadata"]["name"]), {"gracePeriodSeconds": 0})
        if own:
            self._judge(answer, python, f"{address}:{port}")

    def _judge(self, ended: dict[str, Any], python: str, address: str) -> None:
        image = self._image
        if ended.get("exitCode") in (126, 127, 128) and not ended.get("message", "").startswith("{"):
            raise ExecutionError(
                f"the image {image} cannot start its Python: there is no {python}",
                hint="set PYSPARK_PYTHON, or --conf spark.pyspark.python=..., to what it is called there",
            )
        try:
            said = json.loads(ended["message"])
        except (KeyError, ValueError):
            raise ExecutionError(
                f"{python} of the image {image} ended with exit code {ended.get('exitCode')}"
                f"{_shown(ended.get('log', ''))}"
            ) from None
        here = f"{sys.version_info.major}.{sys.version_info.minor}"
        if said["python"] != here:
            raise ExecutionError(
                f"the image {image} has Python {said['python']}, and here it is {here}: Spark needs the same minor "
                "version",
                hint=f"set PYSPARK_PYTHON, or --conf spark.pyspark.python=..., to a Python {here} there",
            )
        if not said["pyarrow"]:
            raise ExecutionError(
                f"{python} of the image {image} has no pyarrow", hint="add it to the image: pip install pyarrow"
            )
        if said["spark"] is not None:
            check_same_version(f"the image {image}", said["spark"])
        if said["cut off"] is not None:
            raise ExecutionError(
                f"pods cannot reach this machine at {address}: {said['cut off']}",
                hint="--conf spark.driver.host=ADDRESS gives one that they can reach; a firewall may need fixed ports:"
                " spark.driver.port and spark.driver.blockManager.port",
            )

    def _ended(self, name: str) -> dict[str, Any]:
        """How the container of a pod ended, with its log where it failed."""
        waited_since = time.monotonic()
        while not self._stop.wait(_LOOK / 4):
            pod = self._call("GET", self._path("pods", name))
            state = _container_state(pod)
            if "terminated" in state:
                ended: dict[str, Any] = state["terminated"]
                trouble = trouble_of(pod)
                if trouble is not None and ended.get("reason") == "OOMKilled":
                    raise self._refusal(trouble)
                return ended if ended.get("exitCode") == 0 else {**ended, "log": self._log_of(name)}
            trouble = trouble_of(pod)
            if trouble is None and "running" not in state and time.monotonic() - waited_since > _LONGEST_SILENCE:
                trouble = self._from_events(name)
            if trouble is not None and not trouble.passing:
                raise self._refusal(trouble)
            self.waits_for = None if trouble is None else trouble.text
        raise ExecutionError("the run was ended before its pods were checked")

    def _pod_to_check(self, command: list[str]) -> dict[str, Any]:
        """A pod as Spark makes it for an executor, with another command and without Spark's own files."""
        pod, container = self._executor_pod()
        name = f"{self.application}-check"
        answer = f"/tmp/{name}"
        container |= {"command": command if command == ["true"] else [*command, answer], "args": []}
        container |= {"terminationMessagePath": answer, "terminationMessagePolicy": "File"}
        metadata, spec = pod["metadata"], pod["spec"]
        metadata |= {"name": name, "labels": {**metadata.get("labels", {}), _ROLE: "check"}}
        # The config map with Spark's settings is made later, and a pod would wait for it for ever.
        volumes = [one for one in spec.get("volumes", ()) if not _is_spark_conf(one)]
        gone = {one["name"] for one in spec.get("volumes", ())} - {one["name"] for one in volumes}
        container["volumeMounts"] = [one for one in container.get("volumeMounts", ()) if one["name"] not in gone]
        spec |= {"volumes": volumes, "containers": [container], "restartPolicy": "Never"}
        return pod

    def _executor_pod(self) -> tuple[dict[str, Any], dict[str, Any]]:
        spark = self._jvm.org.apache.spark
        none = self._jvm.scala.Option.apply(None)
        executor = _module(spark.deploy.k8s, "KubernetesConf").createExecutorConf(
            self._conf, "check", self.application, none, 0
        )
        profile = _module(spark.resource, "ResourceProfile").getOrCreateDefaultProfile(self._conf)
        defaults = [getattr(spark.SecurityManager, f"$lessinit$greater$default${number}")() for number in (2, 3)]
        security = spark.SecurityManager(self._conf, *defaults)
        builder = spark.scheduler.cluster.k8s.KubernetesExecutorBuilder()
        made = builder.buildFromFeatures(executor, security, self._client, profile).pod()
        as_json = self._jvm.io.fabric8.kubernetes.client.utils.Serialization.asJson
        return json.loads(as_json(made.pod())), json.loads(as_json(made.container()))

    # --- while Spark runs

    def watch(self) -> None:
        """Look at the pods until `stop`, in a thread of its own: a server that does not answer holds nobody else."""
        threading.Thread(target=self._watch, daemon=True, name="plan-pods").start()

    def stop(self) -> None:
        """Look no more."""
        self._stop.set()

    def _watch(self) -> None:
        while not self._stop.wait(_LOOK):
            try:
                self._look()
            except Exception:  # a server that does not answer now may answer later, and Spark tells of a dead JVM
                continue

    def _look(self) -> None:
        pods = self._list("pods", f"{_ROLE}=executor")
        troubles = [trouble for pod in pods if (trouble := trouble_of(pod)) is not None]
        lost = [trouble for trouble in troubles if trouble.lost]
        self.last = lost[-1] if lost else self.last
        runs = any(pod.get("status", {}).get("phase") == "Running" for pod in pods)
        self.waits_for = troubles[0].text if troubles and not runs else None

    # --- afterwards

    def remove(self) -> int:
        """Delete whatever the application left on the cluster; how many pods there were."""
        found = len(self._list("pods"))
        for kind in _KINDS:
            self._call("DELETE", f"{self._path(kind)}?{self._selector()}")
        self.removed = True
        return found

    # --- the API

    def _new_client(self) -> Any:
        scala, k8s = self._jvm.scala, self._jvm.org.apache.spark.deploy.k8s
        factory = _module(k8s, "SparkKubernetesClientFactory")
        kinds = _module(k8s, "SparkKubernetesClientFactory$ClientType")
        prefix, server = "spark.kubernetes.authenticate", _server(self._master.url)
        nothing = scala.Option.apply(None)
        namespace = scala.Option.apply(self._namespace)
        return factory.createKubernetesClient(server, namespace, prefix, kinds.Driver(), self._conf, nothing)

    @property
    def _image(self) -> str:
        return next(filter(None, map(self._setting, _IMAGES)), "of the executors")

    def _setting(self, key: str, default: str = "") -> str:
        return str(self._conf.get(key, default))

    def _path(self, kind: str, name: str = "") -> str:
        return f"/api/v1/namespaces/{self._namespace}/{kind}" + (f"/{name}" if name else "")

    def _selector(self, more: str = "") -> str:
        chosen = ",".join(filter(None, (f"{_SELECTOR}={self.application}", more)))
        return f"labelSelector={urllib.parse.quote(chosen)}"

    def _list(self, kind: str, more: str = "") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._call("GET", f"{self._path(kind)}?{self._selector(more)}").get("items", [])
        return found

    def _log_of(self, name: str) -> str:
        try:
            path = self._path("pods", f"{name}/log?tailLines={_LAST_LINES}")
            return str(self._client.raw(path, "GET", None) or "")
        except Exception:  # not everybody may read logs
            return ""

    def _from_events(self, name: str) -> Trouble | None:
        """What the last warning about a pod says, where its status says nothing."""
        try:
            chosen = urllib.parse.quote(f"involvedObject.name={name},type=Warning")
            events = self._call("GET", f"{self._path('events')}?fieldSelector={chosen}").get("items", [])
        except ExecutionError:  # not everybody may read events
            return None
        return Trouble(text=f"a pod does not start: {events[-1].get('message', '')}") if events else None

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        from py4j.protocol import Py4JJavaError

        try:
            answer = self._client.raw(path, method, None if body is None else json.dumps(body))
        except Py4JJavaError as error:
            raise self._refused(error.java_exception) from None
        return json.loads(answer) if answer else {}

    def _refused(self, error: Any) -> ExecutionError:
        code, status = 0, None
        if error.getClass().getSimpleName() == "KubernetesClientException":
            code, status = int(error.getCode()), error.getStatus()
        while (cause := error.getCause()) is not None:
            error = cause
        told = status.getMessage() if status is not None and code > 0 else error.getMessage()
        said = str(told or error.toString())
        return self._refusal(explain_refusal(code, said, self._master.url, self._namespace))

    def _refusal(self, trouble: Trouble) -> ExecutionError:
        return ExecutionError(trouble.text, hint=trouble.hint)


def _server(url: str) -> str:
    rest = url.removeprefix("k8s://")
    return rest if "://" in rest else f"https://{rest}"


def _module(package: Any, name: str) -> Any:
    """A Scala object."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


def _container_state(pod: dict[str, Any]) -> dict[str, Any]:
    statuses = pod.get("status", {}).get("containerStatuses") or [{}]
    state: dict[str, Any] = statuses[0].get("state") or {}
    return state


def _is_spark_conf(volume: dict[str, Any]) -> bool:
    return re.fullmatch(r"spark-conf-volume.*", volume["name"]) is not None


def _shown(log: str) -> str:
    lines = [line for line in log.splitlines() if line.strip()]
    return "; its last lines:" + "".join(f"\n  {line}" for line in lines) if lines else ""


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[int]:
    """Take connections, as the driver will; the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        server = socket.create_server((host, port), family=family)
    except OSError:  # an address of somebody who passes connections on to us
        server = socket.create_server(("", port))
    with server:
        yield int(server.getsockname()[1])
