"""Explains in one message why a session did not start, or why nothing runs on its cluster."""

from __future__ import annotations

import importlib.metadata
import re
import signal
import time
from pathlib import Path

from planner.errors import ExecutionError
from spark_runner.clusters.gateway import JvmEnded
from spark_runner.clusters.master import Master, parse_master

__all__ = ["LogWatch", "explain_lost_jvm", "explain_run_failure", "explain_start_failure", "tail"]

_LAST_LINES = 5  # of Spark's log, where nothing else says why its JVM ended
_LONGEST_SILENCE, _LONGEST_START = 25, 120  # seconds: with a sign that the cluster refuses us, and without

_Known = tuple[tuple[str, str, str], ...]

# What a log or an exception says, what it means, what to do. The first that fits counts: the special come first.
_OTHER_SPARK: _Known = (
    (
        r"InvalidClassException: org\.apache\.spark\.",
        "the cluster at {url} runs another version of Spark than this machine's PySpark ({version})",
        "use the same version on both sides; on YARN, spark.yarn.jars or spark.yarn.archive says which one runs",
    ),
)
_OTHER_PYTHON: _Known = (
    (
        r'Cannot run program "([^"]+)"',
        "the machines of {url} cannot start their Python: there is no {0}",
        "set PYSPARK_PYTHON, or --conf spark.pyspark.python=..., to what it is called there",
    ),
    (
        r"Python in worker has different version: (\S+) than that in driver: ([\d.]+\d)",
        "the machines of {url} have Python {0}, and here it is {1}: Spark needs the same minor version",
        "set PYSPARK_PYTHON, or --conf spark.pyspark.python=..., to a Python {1} there",
    ),
)
_KNOWN: _Known = (
    *_OTHER_SPARK,
    *_OTHER_PYTHON,
    (
        r"All masters are unresponsive",
        "no master at {url} took the application",
        "is one of them the leader, and of the same Spark version ({version})?",
    ),
    (
        r"unknown queue ?: ?([\w.-]*)|[Qq]ueue (\S+) (?:doesn't|does not) exist",
        "YARN has no such queue as {found}",
        "give --conf spark.yarn.queue=NAME with one that `yarn queue -list all` names",
    ),
    (
        r"Must specify the executor container image",
        "{url} needs an image for its executors",
        "give --conf spark.kubernetes.container.image=NAME, with Spark and Python as docs/clusters.md says",
    ),
    (
        r"HADOOP_CONF_DIR or YARN_CONF_DIR must be set",
        "yarn needs the cluster's configuration",
        "set HADOOP_CONF_DIR to the folder with yarn-site.xml",
    ),
    (
        r"unresolved dependency: ([^#\s]+)#([^;\s]+);([^:\s]+): not found",
        "there is no package {0}:{1}:{2}",
        "--packages takes group:artifact:version; --conf spark.jars.repositories=URL adds a place to look",
    ),
    (
        r"Provided Maven Coordinates must be .*The coordinate provided is: (\S+)",
        "--packages {0}: that is not group:artifact:version",
        "for example org.apache.spark:spark-avro_2.13:{version}",
    ),
    (
        r"\[NOT FOUND +\] ([^#\s]+)#([^;\s]+);([^!\s]+)!.*\s+==== local-m2-cache: tried\s+file:(\S+)/[^/\s]+",
        "the local Maven repository has the description of {0}:{1}:{2} without its jar, and Spark looks no further",
        "remove the folder {3} and run again",
    ),
    (
        r"unresolved dependenc|download failed:",
        "a package of --packages could not be fetched",
        "see the log for the places searched",
    ),
    (r"UnsupportedClassVersionError", "this Java is too old for PySpark {version}", "use Java 17 or newer"),
    (
        r"OutOfMemoryError|Could not reserve enough space",
        "the JVM could not get its memory",
        "lower spark.driver.memory",
    ),
    (r"BindException|Address already in use", "Spark could not open its port", "see the log for the port"),
    (r"UnknownHostException", "a host's name is unknown", "see the log for the name"),
    (
        r"StatusCode.UNAVAILABLE|failed to connect to all addresses",
        "no Spark Connect server answers at {url}",
        "is it running?",
    ),
    (
        r"StatusCode.UNIMPLEMENTED|StatusCode.UNAUTHENTICATED",
        "{url} is not a Spark Connect server for us",
        "is the port right?",
    ),
)


def explain_start_failure(error: BaseException, master: Master, log: Path | None) -> ExecutionError:
    """The error to show for a session that did not start."""
    if isinstance(error, ExecutionError) and not isinstance(error, JvmEnded):
        return error
    known = _known(_KNOWN, f"{error}\n{tail(log)}", master.url, log)
    if known is not None:
        return known
    if isinstance(error, JvmEnded):
        return error
    return ExecutionError(f"Spark did not start on {master.url}: {_first_line(error)}", hint=_where(log))


def explain_run_failure(error: ExecutionError, url: str, log: Path) -> ExecutionError | None:
    """The error to show where the cluster is at fault and no operator; such a run need not be tried again."""
    return None if error.operator is not None else _known(_OTHER_PYTHON, error.message, url, log)


def explain_lost_jvm(status: int, log: Path) -> ExecutionError:
    """The error to show where Spark's own JVM ended while the run went on; its last lines may say why."""
    how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with exit code {status}"
    said = [one.rstrip() for one in tail(log).splitlines() if one.strip()][-_LAST_LINES:]
    lines = "".join(f"\n  {one}" for one in said)
    told = f"; its last lines:{lines}" if said else ""
    memory = "the system kills what takes too much memory" if status == -signal.SIGKILL else None
    hint = "; ".join(filter(None, (memory, _where(log))))
    return ExecutionError(f"Spark's JVM {how} while the run went on{told}", hint=hint)


def _known(table: _Known, said: str, url: str, log: Path | None) -> ExecutionError | None:
    for pattern, meaning, advice in table:
        match = re.search(pattern, said)
        if match:
            found = next((group for group in match.groups() if group), "the one asked for")
            words = {"url": url, "found": found, "version": importlib.metadata.version("pyspark")}
            hints = (advice.format(*match.groups(), **words), _where(log))
            return ExecutionError(meaning.format(*match.groups(), **words), hint="; ".join(filter(None, hints)))
    return None


def _where(log: Path | None) -> str | None:
    return f"Spark's log: {log}" if log else None


def tail(log: Path | None, size: int = 64_000) -> str:
    """The end of a log; nothing where there is none."""
    if log is None or not log.is_file():
        return ""
    with log.open("rb") as content:
        content.seek(max(0, log.stat().st_size - size))
        return content.read().decode(errors="replace")


def _first_line(error: BaseException) -> str:
    """The message without the stack; a Java exception's class name tells users nothing before its message."""
    java = getattr(error, "java_exception", None)
    text = str(java.getMessage() or java.toString()) if java is not None else str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return re.sub(r"^\[[A-Z_.]+\]\s*", "", lines[0]) if lines else type(error).__name__


class LogWatch:
    """Looks into Spark's log while a run starts or goes on: Spark itself keeps trying after some errors that stay."""

    def __init__(self, url: str, log: Path) -> None:
        self._master, self._log = parse_master(url), log
        self._size, self._looked = 0, 0.0

    def while_running(self, _: float = 0) -> ExecutionError | None:
        """The error for a cluster whose processes cannot understand the driver: it would wait for them for ever."""
        if self._master.kind in ("local", "connect") or not self._has_news():
            return None
        return _known(_OTHER_SPARK, tail(self._log), self._master.url, self._log)

    def while_starting(self, waited: float) -> ExecutionError | None:
        """The same, and the error for a cluster that takes connections and does not answer."""
        refusal = self.while_running()
        # YARN and Kubernetes were reachable, and a busy queue may keep an application waiting for hours.
        if refusal or self._master.kind not in ("standalone", "connect") or waited < _LONGEST_SILENCE:
            return refusal
        if self._master.kind != "connect" and waited < _LONGEST_START and not self._asked_in_vain():
            return None
        if self._master.kind == "connect":
            return ExecutionError(f"no Spark Connect server answers at {self._master.url} within {waited:.0f} s")
        return ExecutionError(
            f"{self._master.url} did not take the application within {waited:.0f} s",
            hint=f"is this a Spark master of the version of this machine's PySpark? Spark's log: {self._log}",
        )

    def _has_news(self) -> bool:
        """Whether the log has grown; looked at once a second."""
        if time.monotonic() - self._looked < 1 or not self._log.is_file():
            return False
        before, self._size, self._looked = self._size, self._log.stat().st_size, time.monotonic()
        return self._size > before

    def _asked_in_vain(self) -> bool:
        """Whether the driver asked one standalone master a second time: the first answer takes less than a second."""
        asked = re.findall(r"Connecting to master (\S+)", tail(self._log))
        return len(asked) > len(set(asked))
