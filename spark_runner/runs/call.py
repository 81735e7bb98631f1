"""Waiting for the call of a driver on the cluster: at one address, and only from somebody who knows the key."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path
from types import TracebackType

from spark_runner.clusters.master import Address, Master
from spark_runner.clusters.start_failures import explain_start_failure
from spark_runner.clusters.yarn_site import resource_managers
from spark_runner.runs.line import Line, Stranger, answer

__all__ = ["Call", "own_address"]

_LOOK = 0.2  # seconds between two looks at the submission


class Call:
    """A socket that waits for one driver. Others who call are hung up on, and the waiting goes on."""

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


def own_address(master: Master) -> str:
    """The address of this machine on the way to the cluster. SPARK_LOCAL_IP overrules it, as it does for Spark."""
    given = os.environ.get("SPARK_LOCAL_IP")
    if given:
        return given
    for address in resource_managers() if master.kind == "yarn" else master.addresses:
        found = _route_to(address)
        if found is not None:
            return found
    return _route_to(("192.0.2.1", 9)) or "127.0.0.1"  # an address for examples: the way to anywhere


def _route_to(address: Address) -> str | None:
    """Our end of the way there: a datagram socket looks it up, and sends nothing."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(*address, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as probe:
            probe.connect(place)
            return str(probe.getsockname()[0])
    except OSError:
        return None
