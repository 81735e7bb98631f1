"""Kubernetes' servers: built once by Go from its module proxy into `.cache/`; etcd comes with the machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.clusters.worker_python import ROOT

SOURCE = Path(__file__).parent / "server"
SERVERS = ("kube-apiserver", "kube-scheduler")
PATIENCE = 3600.0
REQUIRED = "PLAN_REQUIRE_KUBERNETES"


class NoKubernetes(Exception):
    """Why there is no Kubernetes here."""


def required() -> bool:
    """Whether a missing Kubernetes is a failure."""
    return os.environ.get(REQUIRED) == "1"


@cache
def kubernetes_servers() -> Path:
    """The folder with the servers; `NoKubernetes` says why there is none."""
    for program, origin in (("etcd", "the Debian package etcd-server has it"), ("openssl", "it makes the test's keys")):
        if shutil.which(program) is None:
            raise NoKubernetes(f"Kubernetes' API server needs {program}, and there is none on PATH: {origin}")
    mark = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(SOURCE.iterdir()))).hexdigest()[:12]
    home = ROOT / ".cache" / f"kubernetes-{mark}"
    if not home.is_dir():
        go = shutil.which("go")
        if go is None:
            raise NoKubernetes("Kubernetes' API server is built by Go, and there is no go on PATH")
        _build(go, home)
    return home


def _build(go: str, home: Path) -> None:
    home.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
        made = Path(scratch) / "servers"
        command = [go, "build", "-trimpath", "-ldflags", "-s -w", "-o", str(made / SERVERS[0]), "."]
        try:
            done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise NoKubernetes(f"go did not build Kubernetes' servers within {PATIENCE:g} s") from None
        if done.returncode:
            said = done.stderr.strip().splitlines()
            raise NoKubernetes(f"go could not build Kubernetes' servers: {said[-1] if said else done.returncode}")
        for name in SERVERS[1:]:
            (made / name).symlink_to(SERVERS[0])
        try:
            made.rename(home)
        except OSError:
            assert home.is_dir(), "another test process was expected to have built them"
