"""Waiting for the call of a driver on the cluster: at one address, and only from somebody who knows the key."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from types import TracebackType

from spark_runner.clusters.master import Master
from spark_runner.clusters.start_failures import explain_start_failure
from spark_runner.runs.line import Line, Stranger, answer

__all__ = ["Call"]

_LOOK = 0.2  # seconds between two looks at the submission


class Call:
    """A socket that waits for one driver. Other connections are closed, and it keeps waiting."""

    def __init__(self, host: str, key: bytes) -> None:
        self._key = key
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family, backlog=5)
        self.host, self.port = host, int(self._socket.getsockname()[1])

    def __enter__(self) -> Call:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def answered(self, submission: subprocess.Popen[bytes], master: Master, log: Path) -> Line:
        """The line to the driver; a submission that ends without a call has failed."""
        self._socket.settimeout(_LOOK)
        while True:
            line = self._next()
            if line is not None:
                return line
            if submission.poll() is not None:
                raise explain_start_failure(_SubmissionEnded("the submission ended"), master, log)

    def _next(self) -> Line | None:
        try:
            connection, _ = self._socket.accept()
        except TimeoutError:
            return None
        try:
            return answer(connection, self._key)
        except Stranger:
            connection.close()
            return None


class _SubmissionEnded(Exception):
    """A submission that ended before its driver called: the log says why."""
