"""Starting Spark sooner: an archive of the classes Spark loads, made once for a Java and a PySpark.

Most of a small run is the JVM loading some 20,000 classes. Java can map them from an archive instead
(`-XX:SharedArchiveFile`). The archive is made in the background by the first local run, at the lowest priority; a run
that finds none, or one that does not fit, simply starts without. `PLAN_CLASS_ARCHIVE=off` turns it off.

The archive builds on one of Java's own classes. Trimmed runtimes come without that one, so it is made first.

    python -m spark_runner.clusters.class_archive      makes the archive now
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from planner.machine.cache import cache_folder
from planner.machine.java import JavaRuntime, find_java

__all__ = ["archive_options", "build_archive", "build_archive_in_background"]

# Without these, a JVM that finds the archive unfit says so on standard output.
_QUIET = ("-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off")
_LONGEST_BUILD = 300  # seconds


def archive_options(java: JavaRuntime) -> tuple[str, ...]:
    """The JVM options that use the archive of this Java and this PySpark, empty where there is none."""
    archive = archive_path(java)
    if not _wanted() or not archive.is_file():
        return ()
    files = [str(path) for path in (_base_of(archive), archive) if path.is_file()]
    return (f"-XX:SharedArchiveFile={os.pathsep.join(files)}", *_QUIET)


def archive_path(java: JavaRuntime) -> Path:
    """Where the archive is kept: one for each Java, PySpark and place that PySpark is installed in."""
    spark = importlib.metadata.distribution("pyspark")
    key = "\0".join((str(java.executable), java.version, spark.version, str(spark.locate_file("pyspark"))))
    return cache_folder() / f"spark-classes-{hashlib.sha256(key.encode()).hexdigest()[:16]}.jsa"


def build_archive_in_background(java: JavaRuntime) -> None:
    """Start making the archive where it is wanted and missing; the run that asks does not wait."""
    archive = archive_path(java)
    if not _wanted() or os.environ.get("CI") or archive.exists() or _failed(archive).exists():
        return
    # Nobody is left to read its output, and a signal meant for the run must not reach it.
    subprocess.Popen(
        [sys.executable, "-m", "spark_runner.clusters.class_archive"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (_own_folder(), os.environ.get("PYTHONPATH"))))},
    )


def build_archive(java: JavaRuntime) -> bool:
    """Make the archive; False where another process is at it, or where Java could not."""
    archive = archive_path(java)
    archive.parent.mkdir(parents=True, exist_ok=True)
    with _only_one(archive.with_suffix(".lock")) as mine:
        if not mine:
            return False
        fresh = archive.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        _failed(archive).touch()  # until it is there: a Java that cannot make one is not asked again by every run
        code = _train(java, fresh, _make_base(java, archive))
        if code != 0 or not fresh.is_file():
            fresh.unlink(missing_ok=True)
            return False
        fresh.replace(archive)
        _failed(archive).unlink()
        return True


def _base_of(archive: Path) -> Path:
    return archive.with_suffix(".base.jsa")


def _failed(archive: Path) -> Path:
    return archive.with_suffix(".failed")


def _make_base(java: JavaRuntime, archive: Path) -> tuple[str, ...]:
    """The options that use an archive of Java's own classes, made now where this Java has none."""
    program, base = str(java.executable), _base_of(archive)
    base.unlink(missing_ok=True)
    has_its_own = subprocess.run([program, "-Xshare:on", "-version"], capture_output=True, check=False).returncode == 0
    if has_its_own:
        return ()
    dump = [program, "-Xshare:dump", f"-XX:SharedArchiveFile={base}"]
    subprocess.run(dump, capture_output=True, check=False)
    return (f"-XX:SharedArchiveFile={base}",) if base.is_file() else ()


def _train(java: JavaRuntime, archive: Path, options: tuple[str, ...]) -> int:
    """Run what runs usually do in a JVM that notes its classes, and wait for its end, when it writes them down."""
    from spark_runner.clusters.class_archive_training import train

    return train(java, (*options, f"-XX:ArchiveClassesAtExit={archive}", *_QUIET), timeout=_LONGEST_BUILD)


def _wanted() -> bool:
    return os.environ.get("PLAN_CLASS_ARCHIVE", "on").lower() not in ("off", "0", "no", "false")


def _own_folder() -> str:
    return str(Path(__file__).parents[2])


@contextlib.contextmanager
def _only_one(lock: Path) -> Iterator[bool]:
    """Whether this process is the only one to enter; the system frees the lock however the process ends."""
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


if __name__ == "__main__":
    os.nice(19)
    sys.exit(0 if build_archive(find_java()) else 1)
