"""A Kubernetes cluster on loopback: etcd, the real API server and scheduler, one node of the tests' own."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.clusters.servers import HOSTS, Server, bare_environment, free_port, listens, wait_until
from tests.clusters.worker_python import build_python, worker_python
from tests.kubernetes.api import Api
from tests.kubernetes.binaries import kubernetes_servers
from tests.kubernetes.kubelet import Image, Kubelet

NAMESPACE = "jobs"
IMAGE, NO_ARROW, OLD, BROKEN, EMPTY = (f"plan.tests/{name}:4.3" for name in ("spark", "bare", "old", "broken", "empty"))
ENTRYPOINT = Path(__file__).parent / "entrypoint.sh"
# What docs/clusters.md says that a user needs, and nothing else.
RIGHTS = {
    "pods": ("create", "get", "list", "watch", "delete", "deletecollection"),
    "configmaps": ("create", "get", "list", "watch", "delete", "deletecollection"),
    "services": ("list", "delete", "deletecollection"),
    "persistentvolumeclaims": ("list", "delete", "deletecollection"),
    "events": ("list",),
    "pods/log": ("get",),
}


class KubernetesCluster:
    """A context manager that leaves nothing running. `settings` and `environment` are for `plan run`."""

    def __enter__(self) -> KubernetesCluster:
        self.folder = Path(tempfile.mkdtemp(prefix="plan-kubernetes-"))
        self._servers: list[Server] = []
        self.kubelet: Kubelet | None = None
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.kubelet is not None:
            self.kubelet.close()
        for server in reversed(self._servers):
            server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self) -> str:
        return f"k8s://{self.api.url}"

    @property
    def settings(self) -> dict[str, str]:
        return {
            "spark.kubernetes.container.image": IMAGE,
            "spark.kubernetes.namespace": NAMESPACE,
            "spark.executor.instances": "2",
            "spark.kubernetes.executor.request.cores": "0.5",
            "spark.kubernetes.allocation.batch.delay": "200ms",
        }

    @property
    def environment(self) -> dict[str, str]:
        return {"KUBECONFIG": str(self.folder / "kubeconfig"), "PYSPARK_PYTHON": self.python}

    python = f"python{sys.version_info.major}.{sys.version_info.minor}"  # as it is called in the images

    def pods(self) -> list[dict[str, Any]]:
        """All there are, whatever became of them."""
        return self.api.items(f"/api/v1/namespaces/{NAMESPACE}/pods")

    def executors(self) -> list[str]:
        """The names of the executors' pods that run."""
        return sorted(
            pod["metadata"]["name"]
            for pod in self.pods()
            if pod["metadata"]["labels"].get("spark-role") == "executor" and pod["status"].get("phase") == "Running"
        )

    def wait_until_empty(self) -> None:
        """Wait for the last pod to go: it is told to, and takes a moment."""
        wait_until(lambda: not self.pods(), "no pod to be left", patience=20)
        assert not self.api.items(f"/api/v1/namespaces/{NAMESPACE}/configmaps", labelSelector="spark-app-selector")
        assert self.kubelet is not None and self.kubelet.failure is None

    # --- starting

    def _start(self) -> None:
        binaries, folder = kubernetes_servers(), self.folder
        etcd, port = self._start_etcd(), free_port()
        token, own = secrets.token_hex(16), secrets.token_hex(16)
        (folder / "tokens.csv").write_text(f'{token},admin,1,"system:masters"\n{own},developer,2\n')
        subprocess.run(
            ["openssl", "genrsa", "-out", str(folder / "accounts.key"), "2048"], check=True, capture_output=True
        )
        options = {
            "etcd-servers": etcd,
            "bind-address": HOSTS[0],
            "secure-port": str(port),
            "cert-dir": str(folder / "certificates"),
            "token-auth-file": str(folder / "tokens.csv"),
            "authorization-mode": "RBAC",
            "service-account-issuer": "https://kubernetes.default.svc",
            "service-account-key-file": str(folder / "accounts.key"),
            "service-account-signing-key-file": str(folder / "accounts.key"),
            "service-cluster-ip-range": "10.0.0.0/24",
            "endpoint-reconciler-type": "none",  # nobody needs to find the server from inside
        }
        server = self._serve("kube-apiserver", [str(binaries / "kube-apiserver")], options)
        certificate = folder / "certificates" / "apiserver.crt"
        server.wait_for(lambda: certificate.is_file() and listens(port), "listening")
        self.api = Api(f"https://{HOSTS[0]}:{port}", certificate, token)
        server.wait_for(self.api.ready, "ready")
        (folder / "kubeconfig").write_text(_kubeconfig(self.api.url, certificate, own))
        (folder / "admin").write_text(_kubeconfig(self.api.url, certificate, token))
        self._fill()
        self._serve(
            "kube-scheduler",
            [str(binaries / "kube-scheduler")],
            {"kubeconfig": str(folder / "admin"), "leader-elect": "false", "secure-port": "0"},
        )
        keys = certificate, folder / "certificates" / "apiserver.key"
        self.kubelet = Kubelet(self.api, folder / "node", name="node-1", images=_images(folder), keys=keys)

    def _start_etcd(self) -> str:
        port, other = free_port(), free_port()
        options = {
            "data-dir": str(self.folder / "etcd"),
            "listen-client-urls": f"http://{HOSTS[0]}:{port}",
            "advertise-client-urls": f"http://{HOSTS[0]}:{port}",
            "listen-peer-urls": f"http://{HOSTS[0]}:{other}",
            "unsafe-no-fsync": "true",
        }
        server = self._serve("etcd", ["etcd"], options)
        server.wait_for(lambda: listens(port), "listening")
        return options["listen-client-urls"]

    def _serve(self, name: str, command: list[str], options: dict[str, str]) -> Server:
        words = [f"--{key}={value}" for key, value in options.items()]
        server = Server(name, [*command, *words], folder=self.folder, environment=bare_environment())
        self._servers.append(server)
        return server

    def _fill(self) -> None:
        """What the controllers of a whole cluster would make, and the rights of the user."""
        for namespace in ("default", NAMESPACE):
            self.api.ensure("/api/v1/namespaces", {"metadata": {"name": namespace}})
            self.api.ensure(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
        rights = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}"
        rules = [{"apiGroups": [""], "resources": [one], "verbs": verbs} for one, verbs in RIGHTS.items()]
        self.api.ensure(f"{rights}/roles", {"metadata": {"name": "plan"}, "rules": rules})
        self.api.ensure(
            f"{rights}/rolebindings",
            {
                "metadata": {"name": "plan"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "plan"},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "developer"}],
            },
        )


def _images(folder: Path) -> dict[str, Image]:
    """What can be pulled. An image is its entrypoint, and the Python that is first on its path."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    worker = worker_python()
    answer = '{"python": "3.9", "pyarrow": true, "spark": null, "cut off": null}'  # of a Python that is not here
    scripts = {OLD: f"echo '{answer}' > \"$5\"", BROKEN: "echo 'cannot open shared object file' >&2; exit 1"}
    for number, (image, script) in enumerate(scripts.items()):
        place = folder / f"image{number}" / "bin"
        place.mkdir(parents=True)
        (place / name).write_text(f"#!/bin/sh\n{script}\n")
        (place / name).chmod(0o755)
        scripts[image] = str(place)
    bare = build_python(folder / "bare", ("pyspark",)) / "bin"
    (folder / "empty").mkdir()
    return {
        IMAGE: _image(worker.parent),
        NO_ARROW: _image(bare),
        EMPTY: Image((), {"PATH": str(folder / "empty")}),
        **{image: _image(Path(place)) for image, place in scripts.items()},
    }


def _image(python: Path) -> Image:
    environment = bare_environment()
    environment["PATH"] = f"{python}:/usr/local/bin:/usr/bin:/bin"
    environment.pop("SPARK_LOCAL_IP")
    return Image(("/bin/sh", str(ENTRYPOINT)), environment)


def _kubeconfig(url: str, authority: Path, token: str) -> str:
    return f"""\
apiVersion: v1
kind: Config
current-context: tests
clusters:
- name: tests
  cluster: {{server: "{url}", certificate-authority: "{authority}"}}
contexts:
- name: tests
  context: {{cluster: tests, user: me}}
users:
- name: me
  user: {{token: "{token}"}}
"""
