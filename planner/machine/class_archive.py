"""Starting a JVM sooner: an archive of the classes that it loads, made once for a Java and a class path.

Most of a short run is the JVM loading its classes: 20,000 of Spark's, 10,000 of Flink's. Java can map them from an
archive instead (`-XX:SharedArchiveFile`). The archive is made in the background by the first run, at the lowest
priority; a run that finds none, or one that does not fit, simply starts without. `PLAN_CLASS_ARCHIVE=off` turns it off.

The archive builds on one of Java's own classes. Trimmed runtimes come without that one, so it is made first.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from planner.machine.cache import cache_folder
from planner.machine.java import JavaRuntime
from planner.records import record

__all__ = ["ClassArchive"]

# Without these, a JVM that finds the archive unfit says so on standard output.
_QUIET = ("-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off")
_OWN_FOLDER = str(Path(__file__).parents[2])


@record
class ClassArchive:
    """The archive of one kind of program, for one Java and everything else that its classes depend on."""

    java: JavaRuntime
    name: str
    depends: tuple[str, ...]  # versions and places: others need another archive
    builder: tuple[str, ...]  # the module that builds it, and its arguments

    @property
    def path(self) -> Path:
        """Where the archive is kept."""
        key = "\0".join((str(self.java.executable), self.java.version, *self.depends))
        return cache_folder() / f"{self.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.jsa"

    def options(self) -> tuple[str, ...]:
        """The JVM options that use the archive, empty where there is none."""
        if not _wanted() or not self.path.is_file():
            return ()
        files = [str(path) for path in (self._base, self.path) if path.is_file()]
        return (f"-XX:SharedArchiveFile={os.pathsep.join(files)}", *_QUIET)

    def build_in_background(self) -> None:
        """Start making the archive where it is wanted and missing; the run that asks does not wait."""
        if not _wanted() or os.environ.get("CI") or self.path.exists() or self._failed.exists():
            return
        found = filter(None, (_OWN_FOLDER, os.environ.get("PYTHONPATH")))
        # Nobody is left to read its output, and a signal meant for the run must not reach it.
        subprocess.Popen(
            [sys.executable, "-m", *self.builder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(found)},
        )

    def build(self, train: Callable[[Sequence[str]], int]) -> bool:
        """Make the archive; False where another process is at it, or where Java could not.

        `train` runs in a JVM with the options that it is given what programs usually do, and returns the exit code
        of the JVM, which writes the archive when it ends.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _only_one(self.path.with_suffix(".lock")) as mine:
            if not mine:
                return False
            fresh = self.path.with_suffix(".new")
            fresh.unlink(missing_ok=True)
            self._failed.touch()  # until it is there: a Java that cannot make one is not asked again by every run
            code = train((*self._make_base(), f"-XX:ArchiveClassesAtExit={fresh}", *_QUIET))
            if code != 0 or not fresh.is_file():
                fresh.unlink(missing_ok=True)
                return False
            fresh.replace(self.path)
            self._failed.unlink()
            return True

    @property
    def _base(self) -> Path:
        return self.path.with_suffix(".base.jsa")

    @property
    def _failed(self) -> Path:
        return self.path.with_suffix(".failed")

    def _make_base(self) -> tuple[str, ...]:
        """The options that use an archive of Java's own classes, made now where this Java has none."""
        program, base = str(self.java.executable), self._base
        base.unlink(missing_ok=True)
        has_one = subprocess.run([program, "-Xshare:on", "-version"], capture_output=True, check=False).returncode == 0
        if has_one:
            return ()
        dump = [program, "-Xshare:dump", f"-XX:SharedArchiveFile={base}"]
        subprocess.run(dump, capture_output=True, check=False)
        return (f"-XX:SharedArchiveFile={base}",) if base.is_file() else ()


def _wanted() -> bool:
    return os.environ.get("PLAN_CLASS_ARCHIVE", "on").lower() not in ("off", "0", "no", "false")


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
