"""Why a session did not start, in one message: Spark's own words are stack traces in a log."""

from __future__ import annotations

import re
from pathlib import Path

from planner.errors import ExecutionError
from spark_runner.master import Master, parse_master

__all__ = ["explain_start_failure", "gave_up_starting"]

_LONGEST_SILENCE, _LONGEST_START = 25, 120  # seconds: with a sign that the cluster refuses us, and without

# What a log or an exception says, what it means, what to do. The first that fits counts: the special come first.
_KNOWN: tuple[tuple[str, str, str], ...] = (
    (
        r"InvalidClassException|incompatible.*serialVersionUID|NoSuchMethodError|version mismatch",
        "the cluster at {url} runs another version of Spark than this machine's PySpark ({version})",
        "use the same version on both sides",
    ),
    (
        r"All masters are unresponsive",
        "no master at {url} took the application",
        "is one of them the leader, and of the same Spark version ({version})?",
    ),
    (
        r"unknown queue|queue .* (?:doesn't|does not) exist",
        "YARN has no such queue as the one asked for",
        "list them with `yarn queue`, and give --conf spark.yarn.queue=NAME",
    ),
    (
        r"HADOOP_CONF_DIR or YARN_CONF_DIR must be set",
        "yarn needs the cluster's configuration",
        "set HADOOP_CONF_DIR to the folder with yarn-site.xml",
    ),
    (
        r"unresolved dependenc|Failed to resolve|module not found:",
        "a package of --packages could not be found",
        "the form is group:artifact:version; see the log for the places searched",
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
    from pyspark import __version__ as version

    if isinstance(error, ExecutionError):
        return error
    said = f"{error}\n{_tail(log)}"
    for pattern, meaning, advice in _KNOWN:
        if re.search(pattern, said):
            where = f"; Spark's log: {log}" if log else ""
            return ExecutionError(
                meaning.format(url=master.url, version=version), hint=advice.format(version=version) + where
            )
    return ExecutionError(
        f"Spark did not start on {master.url}: {_first_line(error)}", hint=f"Spark's log: {log}" if log else None
    )


def _tail(log: Path | None, size: int = 64_000) -> str:
    if log is None or not log.is_file():
        return ""
    content = log.read_bytes()
    return content[-size:].decode(errors="replace")


def _first_line(error: BaseException) -> str:
    """The message without the stack; a Java exception's class name tells users nothing before its message."""
    java = getattr(error, "java_exception", None)
    text = str(java.getMessage() or java.toString()) if java is not None else str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return re.sub(r"^\[[A-Z_.]+\]\s*", "", lines[0]) if lines else type(error).__name__


def gave_up_starting(url: str, log: Path, waited: float) -> ExecutionError | None:
    """The error for a cluster that takes connections and does not answer: Spark would go on trying for a minute."""
    master = parse_master(url)
    # YARN and Kubernetes were reachable, and a busy queue may keep an application waiting for hours.
    if master.kind not in ("standalone", "connect") or waited < _LONGEST_SILENCE:
        return None
    if master.kind != "connect" and waited < _LONGEST_START and not _asked_in_vain(log):
        return None
    return ExecutionError(
        _not_within(url, waited),
        hint=f"is this a Spark master of the version of this machine's PySpark? Spark's log: {log}",
    )


def _asked_in_vain(log: Path) -> bool:
    """Whether the driver asked one standalone master a second time: the first answer takes less than a second."""
    asked = re.findall(r"Connecting to master (\S+)", _tail(log))
    return len(asked) > len(set(asked))


def _not_within(url: str, waited: float) -> str:
    return f"{url} did not take the application within {waited:.0f} s"
