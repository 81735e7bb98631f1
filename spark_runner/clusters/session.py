"""Spark sessions for runs: on any master, with nothing of Spark or the JVM on the user's terminal."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.errors import ExecutionError, OptionError
from planner.machine.java import JavaRuntime, find_java
from spark_runner.clusters.class_archive import spark_archive
from spark_runner.clusters.gateway import start_gateway, talk_to
from spark_runner.clusters.kubernetes import APPLICATION, Pods, new_application
from spark_runner.clusters.master import Master, check_deploy_mode, check_reachable, own_address, parse_master
from spark_runner.clusters.master_version import check_master, check_same_version
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.start_failures import explain_start_failure

__all__ = ["Session", "open_session", "remove_pods", "settings", "worker_python"]

# A run's own settings; whatever the user gives with --conf comes after them and wins.
_ALWAYS = {
    "spark.ui.showConsoleProgress": "false",
    # PySpark would tell the JVM for every expression which line of ours made it: seven messages for each.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # Exactly the planned number of partitions stays after every exchange.
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
}
_LOCAL = {
    "spark.ui.enabled": "false",
    # Finished SQL executions are only for that page. A stream has at least one per batch, and Spark would keep 1,000.
    "spark.sql.ui.retainedExecutions": "50",
    # The machine's name may resolve to an address nobody listens at; nothing leaves this machine anyway.
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

# One compiler, which is quick and does not optimize much, and a collector without threads of its own.
_BRIEF = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_JAVA_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")

_LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{yy/MM/dd HH:mm:ss} %p %c{1}: %m%n%ex
logger.master.name = org.apache.spark.deploy.client
logger.master.level = info
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session, and the JVM that was started for it (None for Connect, whose JVM is elsewhere)."""

    spark: Any
    master: Master
    jvm: subprocess.Popen[bytes] | None = None
    pods: Pods | None = None  # on Kubernetes

    @property
    def application(self) -> str | None:
        """The id of the application on its cluster."""
        return None if self.master.kind == "connect" else str(self.spark.sparkContext.applicationId)

    def jvm_ended(self, wait: float = 2.0) -> int | None:
        """The exit status of a JVM that ended, negative for the signal that killed it; None where it lives."""
        if self.jvm is None:
            return None
        try:
            return self.jvm.wait(wait)  # the line to it breaks a moment before the system knows of its end
        except subprocess.TimeoutExpired:
            return None

    def mark(self, group: str, description: str) -> None:
        """Mark the calling thread's Spark jobs, so that `cancel` finds them."""
        if self.master.kind == "connect":
            self.spark.addTag(group)
        else:
            self.spark.sparkContext.setJobGroup(group, description, interruptOnCancel=True)

    def cancel(self, group: str) -> None:
        """End the Spark jobs that carry a mark, and every streaming query."""
        with contextlib.suppress(Exception):  # a session that is already gone has nothing left to cancel
            for query in self.spark.streams.active:
                query.stop()
        with contextlib.suppress(Exception):
            if self.master.kind == "connect":
                self.spark.interruptTag(group)
            else:
                self.spark.sparkContext.cancelJobGroup(group)

    def close(self, *, finished: bool, wait: float = 5.0) -> None:
        """End the session and its JVM.

        A local JVM stops Spark itself once nobody holds its standard input, and after a good end nobody need wait for
        that. After any other end threads may still read from it: they must be let go before Python ends.
        """
        if self.master.kind == "local" and finished:
            return
        if self.master.kind != "local":
            with contextlib.suppress(Exception):
                self.spark.stop()
        if self.pods is not None:
            with contextlib.suppress(Exception):  # of a JVM that is gone, or a server that does not answer
                self.pods.remove()
        if self.jvm is not None:
            close_jvm(self.jvm, wait=wait)


def open_session(
    request: RunRequest,
    *,
    name: str,
    log: Path,
    java: JavaRuntime | None = None,
    java_options: tuple[str, ...] | None = None,
    brief: bool = False,
    meanwhile: Callable[[], None] = lambda: None,
    take_pods: Callable[[Pods], None] = lambda _: None,
) -> Session:
    """Open the session a run asks for, of a JVM that starts soon if `brief`. `meanwhile` is called while it starts.

    Spark, the JVM and what Python workers print go to `log`. `take_pods` gets the run's pods before there are any.
    """
    master = parse_master(request.master)
    check_deploy_mode(master, request.deploy_mode)
    check_reachable(master)
    if master.kind == "connect":
        return _open_connect(request, master, name)
    check_master(master, dict(request.conf))
    java = java or find_java()
    os.environ["JAVA_HOME"] = str(java.home)
    os.environ["PYSPARK_PYTHON"] = worker_python(request, master)
    options = spark_archive(java).options() if java_options is None else java_options
    if brief and master.kind == "local":
        options = (*options, *brief_options(request))
    if master.kind == "standalone":
        options = (*options, f"-Dlog4j2.configurationFile={_logging(log.parent).absolute().as_uri()}")
    return _open_classic(request, master, name, log, java, options, meanwhile, take_pods)


def brief_options(request: RunRequest) -> tuple[str, ...]:
    """What makes a JVM start sooner and work more slowly; nothing where somebody else has chosen options for it."""
    chosen = "spark.driver.extraJavaOptions" in dict(request.conf)
    return () if chosen or any(os.environ.get(name) for name in _JAVA_VARIABLES) else _BRIEF


def _logging(folder: Path) -> Path:
    """Logging as Spark's own, and also each time a master is asked to take the application."""
    file = folder / "log4j2.properties"
    file.write_text(_LOGGING)
    return file


def settings(
    request: RunRequest,
    master: Master,
    *,
    name: str,
    java_options: tuple[str, ...] = (),
    application: str | None = None,
) -> dict[str, str]:
    """Everything a session is configured with; the user's settings override the rest."""
    folder = Path(request.folder)
    chosen = {"spark.app.name": name, "spark.master": request.master, **_ALWAYS}
    if master.kind == "local":
        chosen |= _LOCAL
    if master.kind == "kubernetes":  # where nobody knows this machine's name
        chosen |= {APPLICATION: application or new_application(), "spark.driver.host": own_address(master)}
    if request.py_files:
        chosen["spark.submit.pyFiles"] = ",".join(_absolute(folder, file) for file in request.py_files)
    if request.packages:
        chosen["spark.jars.packages"] = ",".join(request.packages)
    chosen |= dict(request.conf)
    if java_options:
        given = chosen.get("spark.driver.extraJavaOptions", "")
        chosen["spark.driver.extraJavaOptions"] = " ".join(filter(None, (*java_options, given)))
    return chosen


def close_jvm(jvm: subprocess.Popen[bytes], *, wait: float) -> None:
    """Let a JVM end: closing its standard input asks it to; one that has not by then is killed."""
    if jvm.stdin is not None:
        with contextlib.suppress(OSError):
            jvm.stdin.close()
    if wait:
        try:
            jvm.wait(wait)
        except subprocess.TimeoutExpired:
            jvm.kill()


def _open_classic(
    request: RunRequest,
    master: Master,
    name: str,
    log: Path,
    java: JavaRuntime,
    java_options: tuple[str, ...],
    meanwhile: Callable[[], None],
    take_pods: Callable[[Pods], None],
) -> Session:
    chosen = settings(request, master, name=name, java_options=java_options)
    jvm = None
    try:
        gateway = start_gateway(
            submit_arguments(chosen), java=java, log=log, local=master.kind == "local", meanwhile=meanwhile
        )
        jvm = gateway.process
        line = talk_to(gateway)
        pods = None
        if master.kind == "kubernetes":
            pods = Pods(line.jvm, jvm, master, chosen)
            take_pods(pods)
            pods.check(os.environ["PYSPARK_PYTHON"])
            pods.watch()
        return Session(spark=_connect(line, chosen), master=master, jvm=jvm, pods=pods)
    except Exception as error:
        if jvm is not None:
            close_jvm(jvm, wait=0)
        raise explain_start_failure(error, master, log) from error


def submit_arguments(chosen: dict[str, str]) -> list[str]:
    """What spark-submit is given; the name comes later, so that the same arguments serve every job."""
    given = [part for key, value in chosen.items() if key != "spark.app.name" for part in ("--conf", f"{key}={value}")]
    return [*given, "pyspark-shell"]


def remove_pods(request: RunRequest, application: str, *, log: Path) -> int:
    """Delete what an application left on Kubernetes, from a JVM of its own: the one that made it has ended.

    How many pods there were.
    """
    master = parse_master(request.master)
    chosen = settings(request, master, name="plan", application=application)
    gateway = start_gateway(submit_arguments(chosen), java=find_java(), log=log, local=False, meanwhile=lambda: None)
    try:
        return Pods(talk_to(gateway).jvm, gateway.process, master, chosen).remove()
    finally:
        gateway.process.kill()


def _connect(line: Any, chosen: dict[str, str]) -> Any:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    SparkContext._ensure_initialized(gateway=line)
    spark = SparkSession.builder.config(map={**chosen}).getOrCreate()
    # A JVM that goes first, as a killed one does, is no reason for a traceback on the user's terminal.
    accumulators: Any = spark.sparkContext._accumulatorServer
    accumulators.handle_error = lambda *_: None
    keep_py4j_quiet()
    return spark


def keep_py4j_quiet() -> None:
    """Keep Py4J's own tracebacks off the terminal: whoever called it gets the exception."""
    logging.getLogger().addFilter(_is_not_py4j)  # it also logs without a name
    named = logging.getLogger("py4j")
    named.addHandler(logging.NullHandler())  # else Python prints what no handler takes
    named.propagate = False


def _is_not_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in record.pathname


def _open_connect(request: RunRequest, master: Master, name: str) -> Session:
    if request.packages:
        raise OptionError(
            f"--packages is not supported on {master.url}: a Spark Connect server has the packages it was started with",
            hint="leave it out here, and give it to the server",
        )
    try:
        import pyspark.sql.connect.session  # noqa: F401
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ExecutionError(
            f"Spark Connect needs a package that is not installed: {error}",
            hint="pip install 'plan-inspector[spark]'",
        ) from error
    chosen = {"spark.sql.adaptive.coalescePartitions.enabled": "false", **dict(request.conf)}
    try:
        _check_answers(request.master)
        # Through the common builder: it also tells pyspark.sql.functions that there is no JVM here.
        spark = SparkSession.builder.remote(request.master).appName(name).getOrCreate()
        check_same_version(master.url, spark.version)
        for key, value in chosen.items():
            spark.conf.set(key, value)
        for file in request.py_files:
            spark.addArtifacts(_absolute(Path(request.folder), file), pyfile=True)
    except Exception as error:
        raise explain_start_failure(error, master, None) from error
    return Session(spark=spark, master=master)


def _check_answers(url: str, *, timeout: float = 15.0) -> None:
    """Refuse a server that takes connections and speaks no gRPC: Spark's client would try for minutes."""
    import grpc
    from pyspark.sql.connect.client import DefaultChannelBuilder

    with DefaultChannelBuilder(url).toChannel() as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=timeout)
        except grpc.FutureTimeoutError as error:
            raise ExecutionError(
                f"no Spark Connect server answers at {url} within {timeout:g} s",
                hint="something listens there: is the port right, and does the URL say use_ssl=true where it must?",
            ) from error


def _absolute(folder: Path, file: str) -> str:
    return file if "://" in file else str((folder / file).absolute())


def worker_python(request: RunRequest, master: Master) -> str:
    """What workers are started with: as the user says, else this very Python here, and its usual name elsewhere."""
    said = dict(request.conf).get("spark.pyspark.python") or os.environ.get("PYSPARK_PYTHON")
    here = sys.executable if master.kind == "local" else f"python{sys.version_info.major}.{sys.version_info.minor}"
    return said or here
