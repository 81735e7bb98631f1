"""A server in a process group of its own: its log in a file, found ready, killed hard, never left behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyspark

from planner.machine.java import find_java

SPARK_HOME = Path(pyspark.__file__).parent
PATIENCE = 90.0

# Every 127.x.y.z answers on Linux alone; there, each worker gets an address of its own, as on separate machines.
HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4") if sys.platform == "linux" else ("127.0.0.1",) * 4


class Server:
    """One long-running process and whatever it starts in its group."""

    def __init__(self, name: str, command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name, self.log = name, folder / f"{name}.log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def says(self, text: str) -> bool:
        return text in self.log.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, ready: Callable[[], bool], what: str, *, patience: float = PATIENCE) -> None:
        """Wait until `ready`; a server that ended meanwhile, or never gets there, fails with the end of its log."""
        until = time.monotonic() + patience
        while not ready():
            if not self.alive or time.monotonic() > until:
                fate = "is not" if self.alive else "ended before it was"
                end = "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-25:])
                raise AssertionError(f"{self.name} {fate} {what}; its log ends:\n{end}")
            time.sleep(0.1)

    def kill(self) -> None:
        """kill -9 of the server and of everything in its group, as when a machine goes."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        finally:
            self._process.wait(timeout=30)


def die_with_parent() -> None:
    """Ask Linux to kill this process when the tests' own is killed, which then has no time to clean up."""
    pr_set_pdeathsig = 1
    with contextlib.suppress(OSError, AttributeError):  # elsewhere there is no such wish
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def bare_environment(*, home: Path = SPARK_HOME, **more: str) -> dict[str, str]:
    """An environment for servers: Spark and Java, and nothing that lets a process see this repository."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR", "USER") if name in os.environ}
    return kept | {
        "SPARK_HOME": str(home),
        "JAVA_HOME": str(find_java().home),
        "SPARK_LOCAL_IP": HOSTS[0],
        "SPARK_DAEMON_MEMORY": "256m",
        **more,
    }


def spark_class(main: str, *arguments: str, home: Path = SPARK_HOME) -> list[str]:
    return [str(home / "bin" / "spark-class"), main, *arguments]


def free_port(host: str = HOSTS[0]) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def listens(port: int, host: str = HOSTS[0]) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def wait_until(done: Callable[[], bool], what: str, *, patience: float = PATIENCE) -> None:
    until = time.monotonic() + patience
    while not done():
        assert time.monotonic() < until, f"waited {patience:g} s in vain for {what}"
        time.sleep(0.1)


def processes_in(folder: Path, *, named: str = "") -> list[int]:
    """Processes that work in a folder or below, with `named` in their command line; needs /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            where = (entry / "cwd").readlink()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it ended while we looked, or belongs to somebody else
        if where.is_relative_to(folder.resolve()) and named in command:
            found.append(int(entry.name))
    return sorted(found)


def kill_all_in(folder: Path) -> None:
    """kill -9 of what still works in a cluster's folder: Python workers and containers leave their server's group."""
    for pid in processes_in(folder):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
