"""Starts the driver's JVM without output on the terminal, and waits no longer than needed.

`spark-submit` starts one JVM to work out the command of another. For local runs that command is always the same for a
Java, a PySpark and a set of options, so it is kept in the cache folder and used again.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import secrets
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from planner.durable import open_private, write_json
from planner.errors import ExecutionError
from planner.machine.cache import cache_folder
from planner.machine.java import JavaRuntime

__all__ = ["Gateway", "JvmEnded", "end_starting_jvms", "spark_home", "start_gateway", "talk_to"]

_starting: set[subprocess.Popen[bytes]] = set()  # JVMs that cannot be talked to yet

_SUBMIT = "org.apache.spark.deploy.SparkSubmit"
# Settings from outside that the command depends on: with any of them, Spark's own script decides.
_DECIDED_BY_SCRIPT = (
    "SPARK_CONF_DIR",
    "SPARK_HOME",
    "SPARK_SUBMIT_OPTS",
    "SPARK_DIST_CLASSPATH",
    "SPARK_PREPEND_CLASSES",
    "SPARK_MEM",
    "SPARK_DRIVER_MEMORY",
    "HADOOP_CONF_DIR",
    "YARN_CONF_DIR",
)


class JvmEnded(ExecutionError):
    """A JVM that ended before Spark was there: its log may say why."""


class Gateway:
    """A JVM that Python can talk to."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, secret: str) -> None:
        self.process, self.port, self.secret = process, port, secret


def start_gateway(
    arguments: list[str], *, java: JavaRuntime, log: Path, local: bool, meanwhile: Callable[[], object]
) -> Gateway:
    """Start a JVM with spark-submit's arguments, do something else `meanwhile`, and wait until it can be talked to.

    The JVM writes its address beside the log. That folder outlives this process: a JVM that cannot write its address
    when we were killed meanwhile would never look at its standard input, and never end.
    """
    with _answer_file(log.parent) as answer:
        command, environment = _command(arguments, java, local)
        environment |= {"SPARK_CONNECT_MODE": "0", "_PYSPARK_DRIVER_CONN_INFO_PATH": str(answer)}
        # Spark starts some Python workers beside the driver too, by the name it has on the cluster: they need this one.
        environment["PATH"] = os.pathsep.join(filter(None, (str(Path(sys.executable).parent), environment.get("PATH"))))
        with open_private(log) as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,  # the JVM ends when nobody holds this any more
                stdout=output,
                stderr=output,
                env=environment,
                preexec_fn=_ignore_stops,
            )
        _starting.add(process)
        try:
            meanwhile()
            while not answer.is_file():
                if process.poll() is not None:
                    raise JvmEnded("the JVM ended before Spark was there", hint=f"Spark's log: {log}")
                time.sleep(0.02)
            content = answer.read_bytes()
        finally:
            _starting.discard(process)
    port, length = struct.unpack("!ii", content[:8])
    return Gateway(process, port, content[8 : 8 + length].decode())


def talk_to(gateway: Gateway) -> Any:
    """Py4J's end of the line to a JVM."""
    from pyspark.java_gateway import launch_gateway

    # With these two set, PySpark takes the JVM that is there.
    os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"] = str(gateway.port), gateway.secret
    try:
        return launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]


@contextmanager
def _answer_file(folder: Path) -> Iterator[Path]:
    answer = folder.absolute() / f".jvm-{secrets.token_hex(8)}"
    try:
        yield answer
    finally:
        answer.unlink(missing_ok=True)


def end_starting_jvms() -> None:
    """End what was started and is not waited for any more: a JVM looks at its standard input only once it is up."""
    for process in tuple(_starting):
        process.kill()


def spark_home() -> Path:
    """Where PySpark is installed, with Spark's scripts and jars; known without importing it."""
    return Path(str(importlib.metadata.distribution("pyspark").locate_file("pyspark")))


def _ignore_stops() -> None:
    """Ctrl-C, and the SIGTERM of `timeout`, reach every process of the command; this one is told what to do by ours."""
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.SIG_IGN)


def _command(arguments: list[str], java: JavaRuntime, local: bool) -> tuple[list[str], dict[str, str]]:
    """The command that starts the JVM, and its environment."""
    home, version = spark_home(), importlib.metadata.version("pyspark")
    through_script = [str(home / "bin" / "spark-submit"), *arguments], dict(os.environ)
    if not local or any(os.environ.get(name) for name in _DECIDED_BY_SCRIPT) or (home / "conf").exists():
        return through_script
    key = json.dumps([str(java.executable), java.version, str(home), version, arguments])
    kept = cache_folder() / f"command-{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
    try:
        command: list[str] = json.loads(kept.read_bytes())
    except (OSError, ValueError):
        command = _build_command(home, arguments, java)
        if command:
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_json(kept, command)
    return (command, _script_environment(home)) if command else through_script


def _script_environment(home: Path) -> dict[str, str]:
    """What Spark's scripts would set for the JVM: Python workers take their hash seed and their PySpark from it."""
    scala = next((jar.name for jar in (home / "jars").glob("scala-library-*.jar")), "scala-library-2.13.0.jar")
    return {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_CONF_DIR": str(home / "conf"),
        "SPARK_ENV_LOADED": "1",
        "SPARK_SCALA_VERSION": ".".join(scala.removeprefix("scala-library-").split(".")[:2]),
        "PYTHONHASHSEED": "0",
    }


def _build_command(home: Path, arguments: list[str], java: JavaRuntime) -> list[str]:
    """What Spark's launcher makes of the arguments; empty where it does not answer as expected."""
    launcher = [str(java.executable), "-Xmx128m", "-cp", f"{home}/jars/*", "org.apache.spark.launcher.Main", _SUBMIT]
    answer = subprocess.run([*launcher, *arguments], capture_output=True, check=False, env=_script_environment(home))
    _, _, command = answer.stdout.partition(b"\0\n")  # warnings of the JVM come before this mark
    parts = [part.decode() for part in command.split(b"\0")][:-1]
    return parts if answer.returncode == 0 and _SUBMIT in parts else []
