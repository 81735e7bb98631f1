"""The connection between a driver on the cluster and the process that submitted it.

Both sides prove that they know the key before either reads a message. Messages are JSON after their length: nothing
that comes over the line is ever executed. A driver with an old Python imports this module too, so that it can say
which version it has: keep to plain code here.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import secrets
import socket
import struct
import threading
from typing import Any

__all__ = ["Line", "Stranger", "answer", "call"]

_NONCE, _PROOF = 32, 32  # bytes
_PATIENCE = 30.0  # seconds for the proofs
_LONGEST = 1 << 30  # bytes of a message
_DRIVER, _SUBMITTER = b"plan driver", b"plan submitter"


class Stranger(Exception):
    """Somebody who does not know the key."""


class Line:
    """JSON messages in both directions; several threads may send."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._turn = threading.Lock()

    def send(self, message: Any) -> None:
        """Send one message."""
        content = json.dumps(message).encode()
        with self._turn:
            self._connection.sendall(struct.pack("!q", len(content)) + content)

    def receive(self) -> Any:
        """The next message. Raises EOFError where the other side closed the connection."""
        (length,) = struct.unpack("!q", _exactly(self._connection, 8))
        if not 0 <= length <= _LONGEST:
            raise EOFError("a message of %d bytes" % length)  # noqa: UP031
        return json.loads(_exactly(self._connection, length))

    def close(self) -> None:
        """Hang up, and wake whoever waits for a message."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def answer(connection: socket.socket, key: bytes) -> Line:
    """The submitter's side of a call. Raises Stranger, without having read anything but the proof."""
    challenge = secrets.token_bytes(_NONCE)
    connection.settimeout(_PATIENCE)
    try:
        connection.sendall(challenge)
        said = _exactly(connection, _PROOF + _NONCE)
        proof, counter = said[:_PROOF], said[_PROOF:]
        if not hmac.compare_digest(proof, _proof(key, _DRIVER, challenge, counter)):
            raise Stranger("a wrong proof")
        connection.sendall(_proof(key, _SUBMITTER, counter, challenge))
    except (EOFError, OSError) as error:
        raise Stranger(str(error)) from error
    connection.settimeout(None)
    return Line(connection)


def call(host: str, port: int, key: bytes) -> Line:
    """The driver's side: call, prove, and check who answered."""
    connection = socket.create_connection((host, port), timeout=_PATIENCE)
    challenge = _exactly(connection, _NONCE)
    counter = secrets.token_bytes(_NONCE)
    connection.sendall(_proof(key, _DRIVER, challenge, counter) + counter)
    if not hmac.compare_digest(_exactly(connection, _PROOF), _proof(key, _SUBMITTER, counter, challenge)):
        raise Stranger("whoever answers does not know the key")
    connection.settimeout(None)
    return Line(connection)


def _proof(key: bytes, role: bytes, theirs: bytes, ours: bytes) -> bytes:
    return hmac.new(key, role + theirs + ours, hashlib.sha256).digest()


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = connection.recv(min(size, 1 << 20))
        if not part:
            raise EOFError("the other side closed the connection")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
