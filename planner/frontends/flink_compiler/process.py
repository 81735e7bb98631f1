"""The process beside Flink: started, limited, ended with everything it started, and its answers read.

A program's main is executed in it. So it has its own process group, a temporary folder that is removed, no input, and
output that never reaches ours: the last lines are kept for messages.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planner.records import record

__all__ = ["Outcome", "run_beside_flink"]

PROGRAM = Path(__file__).with_name("in_flink.py")
_MARK = "PLAN_COMPILING"  # in the environment of everything that a program starts
_KEPT = 64 * 1024  # bytes of what the program printed
_OF_FLINK = ("Job has been submitted with JobID", "Picked up JAVA_TOOL_OPTIONS")
_FRAME = re.compile(r"\s+at [\w.$/<>@-]+\(|\s+\.\.\. \d+ more$")
_MOST_ANSWERS = 1 << 30  # bytes


@record
class Outcome:
    """How asking Flink ended."""

    answers: tuple[Mapping[str, Any], ...]
    said: str  # the end of what was printed, by the program, Flink or Java
    exit_code: int | None  # of the process; None: it was ended after the time limit
    seconds: float

    def of(self, kind: str) -> list[Any]:
        """All answers of a kind, in order."""
        return [answer[kind] for answer in self.answers if kind in answer]

    @property
    def last_lines(self) -> list[str]:
        """The last lines that a program printed, without blank ones, frames of Java and those of Flink's client."""
        lines = [line.rstrip() for line in self.said.splitlines() if line.strip()]
        return [line for line in lines if not line.startswith(_OF_FLINK) and not _FRAME.match(line)][-8:]


def run_beside_flink(
    request: Mapping[str, Any],
    *,
    time_limit: float,
    interpreter: str = sys.executable,
    program: Path = PROGRAM,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Send a request, wait for its end or the time limit, and give the answers."""
    temporary = tempfile.mkdtemp(prefix="plan-flink-")
    mark = f"{os.getpid()}-{uuid.uuid4().hex}"
    try:
        asked = {
            **request,
            "answers": str(Path(temporary, "answers")),
            "temporary": temporary,
            "logging": str(Path(temporary, "logging.properties")),
        }
        Path(asked["logging"]).write_text("rootLogger.level = OFF\n", encoding="utf-8")
        file = Path(temporary, "request.json")
        file.write_text(json.dumps(asked), encoding="utf-8")
        given = {**os.environ, **(environment or {}), "TMPDIR": temporary, _MARK: mark}
        code, said, seconds = _run([interpreter, str(program), str(file)], given, mark, time_limit)
        return Outcome(answers=_answers(Path(asked["answers"])), said=said, exit_code=code, seconds=seconds)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _run(
    command: Sequence[str], environment: Mapping[str, str], mark: str, limit: float
) -> tuple[int | None, str, float]:
    began = time.monotonic()
    reader, writer = os.pipe()
    tail = _Tail(reader)
    # Its input stays open as long as this process lives, so that it does not outlive it.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=writer, stderr=writer, env=dict(environment), start_new_session=True
    )
    os.close(writer)
    tail.start()
    code: int | None = None
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(limit)
    finally:
        _end_all(process.pid, mark)
        process.wait()
        if process.stdin is not None:
            process.stdin.close()
        tail.finish()
    return code, tail.text(), time.monotonic() - began


def _end_all(group: int, mark: str) -> None:
    """End the group, and whatever left it: Linux tells by the environment that it was started with."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    wanted = f"{_MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*/environ") if Path("/proc/self/environ").is_file() else ():
        with contextlib.suppress(OSError, ValueError):
            if wanted in entry.read_bytes().split(b"\0"):
                os.kill(int(entry.parent.name), signal.SIGKILL)


class _Tail(threading.Thread):
    """Reads a pipe to its end and keeps the last of it."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(daemon=True)
        self._descriptor = descriptor
        self._kept = b""

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while piece := os.read(self._descriptor, 65536):
                self._kept = (self._kept + piece)[-_KEPT:]

    def finish(self) -> None:
        """Wait a moment for the rest: all that wrote have ended."""
        self.join(5)
        os.close(self._descriptor)

    def text(self) -> str:
        return self._kept.decode("utf-8", errors="replace")


def _answers(path: Path) -> tuple[Mapping[str, Any], ...]:
    """The answers that were written whole."""
    if not path.is_file() or path.stat().st_size > _MOST_ANSWERS:
        return ()
    *lines, _ = path.read_bytes().split(b"\n")
    return tuple(json.loads(line) for line in lines)
