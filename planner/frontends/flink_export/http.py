"""GET requests to a cluster that may be slow, broken or hostile: bounded in time and size, never to another host.

Only GET is ever sent. Credentials come from the environment, and only over HTTPS or to this machine:
PLAN_FLINK_TOKEN (a bearer token), or PLAN_FLINK_USER and PLAN_FLINK_PASSWORD.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import ipaddress
import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from planner.errors import OptionError, PlanError
from planner.frontends.flink_export.fields import parse_json
from planner.records import record

TIME_OUT = 10.0  # seconds without a byte
DEADLINE = 30.0  # seconds for one answer in all
MOST_BYTES = 64 << 20
MOST_REDIRECTS = 3
ALL_SECONDS = 300.0  # for all answers of one command
ALL_BYTES = 512 << 20
_REDIRECTS = (301, 302, 303, 307, 308)


class NoSuchAnswer(OptionError):
    """The server answered, but not with what was asked for: an older version, or a job that has gone."""


@record
class Server:
    """Where requests go: one scheme, host and port, with the path before Flink's own."""

    scheme: str
    host: str
    port: int
    path: str = ""  # of a proxy: /flink

    @property
    def address(self) -> str:
        """The address as users write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


class Budget:
    """What all answers to one command may take together: a server may name a million vertices to ask for."""

    def __init__(self) -> None:
        self._until, self._bytes = time.monotonic() + ALL_SECONDS, 0

    def spend(self, server: Server, count: int) -> None:
        """Count an answer of so many bytes; refuse it where that is too much."""
        self._bytes += count
        if self._bytes > ALL_BYTES:
            raise OptionError(
                f"{server.address} answers more than {ALL_BYTES >> 20} MiB in all: that is no job of Flink"
            )
        if time.monotonic() > self._until:
            raise OptionError(
                f"{server.address} took more than {ALL_SECONDS:.0f} seconds for its answers",
                hint="try again when it is less busy",
            )


def parse_server(address: str) -> Server:
    """The server of an address, without the path."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise OptionError(f"{address!r} is no address: {error}", hint="write http://HOST:8081") from error
    if parts.username or parts.password:
        raise OptionError(
            "an address must not hold a user or a password: others can read the command line",
            hint="set PLAN_FLINK_USER and PLAN_FLINK_PASSWORD, or PLAN_FLINK_TOKEN",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise OptionError(f"{address!r} is no address of a cluster", hint="write http://HOST:8081")
    return Server(scheme=parts.scheme, host=parts.hostname, port=port or (443 if parts.scheme == "https" else 80))


def get_json(
    server: Server, path: str, environment: Mapping[str, str] | None = None, *, budget: Budget | None = None
) -> Any:
    """What the server answers to GET `path`, as JSON."""
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "plan"}
    headers |= _credentials(server, os.environ if environment is None else environment)
    where = f"{server.address}{path}"
    target = server.path + path
    for _ in range(MOST_REDIRECTS + 1):
        status, location, body = _get(server, target, headers)
        if status not in _REDIRECTS:
            break
        target = _same_host(server, target, location)
    else:
        raise OptionError(f"{where} redirects in a circle")
    if budget is not None:
        budget.spend(server, len(body))
    if status != 200:
        raise NoSuchAnswer(f"{where} answers {status} {http.client.responses.get(status, '')}".rstrip() + _hint(status))
    try:
        return parse_json(body.decode("utf-8"), f"the answer of {where}")
    except UnicodeDecodeError as error:
        raise OptionError(f"the answer of {where} is no text") from error
    except PlanError as error:
        raise OptionError(error.message, hint="is this the REST port of Flink?") from error


def _get(server: Server, target: str, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
    where = f"{server.address}{target.removeprefix(server.path)}"
    connection = _connection(server)
    with contextlib.closing(connection), _deadline() as late:
        try:
            connection.connect()
            late.sock = connection.sock
            connection.request("GET", target, headers=dict(headers))
            answer = connection.getresponse()
            status, location = answer.status, answer.headers.get("Location", "")
            body = answer.read(MOST_BYTES + 1) if status == 200 else b""
        except ValueError as error:  # a token with a line break, a path with a blank
            raise OptionError("the address or the credentials hold characters that no request can have") from error
        except (OSError, http.client.HTTPException) as error:
            raise OptionError(f"{where} {_trouble(error, late.reached)}", hint=_next_step(error)) from error
    if late.reached:
        raise OptionError(f"{where} did not answer within {DEADLINE:.0f} seconds")
    if len(body) > MOST_BYTES:
        raise OptionError(f"{where} answers more than {MOST_BYTES >> 20} MiB: that is no answer of Flink")
    return status, location, body


def _connection(server: Server) -> http.client.HTTPConnection:
    if server.scheme == "https":
        return http.client.HTTPSConnection(
            server.host, server.port, timeout=TIME_OUT, context=ssl.create_default_context()
        )
    return http.client.HTTPConnection(server.host, server.port, timeout=TIME_OUT)


class _Deadline:
    """Cuts the connection when the time is over: a server that sends a byte now and then never times out by itself."""

    def __init__(self) -> None:
        self.reached = False
        self.sock: socket.socket | None = None  # the connection lets go of it while an answer is read

    def cut(self) -> None:
        self.reached = True
        with contextlib.suppress(OSError):
            if self.sock is not None:
                self.sock.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def _deadline() -> Iterator[_Deadline]:
    late = _Deadline()
    timer = threading.Timer(DEADLINE, late.cut)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _same_host(server: Server, target: str, location: str) -> str:
    """Where a redirect leads, if it stays on the same scheme, host and port."""
    where = f"{server.scheme}://{server.host}:{server.port}"
    try:
        there = parse_server(urljoin(f"{where}{target}", location))
        parts = urlsplit(urljoin(target, location))
    except (ValueError, OptionError):
        raise OptionError(f"{server.address} redirects to something that is no address") from None
    if (there.scheme, there.host, there.port) != (server.scheme, server.host, server.port):
        raise OptionError(
            f"{server.address} redirects to another host, {there.address}, and redirects are not followed there",
            hint=f"if you trust it, use {there.address} yourself",
        )
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _credentials(server: Server, environment: Mapping[str, str]) -> dict[str, str]:
    token, user = environment.get("PLAN_FLINK_TOKEN"), environment.get("PLAN_FLINK_USER")
    if not token and not user:
        return {}
    if server.scheme != "https" and not _is_this_machine(server.host):
        raise OptionError(
            f"PLAN_FLINK_TOKEN or PLAN_FLINK_USER is set, and {server.address} is not https: "
            "everybody on the way could read them",
            hint="use https://, or unset the variables",
        )
    if token:
        return {"Authorization": f"Bearer {token}"}
    pair = f"{user}:{environment.get('PLAN_FLINK_PASSWORD', '')}"
    return {"Authorization": "Basic " + base64.b64encode(pair.encode("utf-8")).decode("ascii")}


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _trouble(error: Exception, late: bool) -> str:
    if late:
        return f"did not answer within {DEADLINE:.0f} seconds"
    if isinstance(error, TimeoutError):
        return f"sent nothing for {TIME_OUT:.0f} seconds"
    if isinstance(error, ssl.SSLError):
        return f"cannot be trusted: {error.reason or error}"
    if isinstance(error, socket.gaierror):
        return "cannot be found: there is no such host"
    if isinstance(error, ConnectionRefusedError):
        return "refuses the connection"
    if isinstance(error, http.client.HTTPException):
        return f"does not speak HTTP: {type(error).__name__}"
    return f"cannot be read: {getattr(error, 'strerror', None) or error}"


def _next_step(error: Exception) -> str | None:
    if isinstance(error, ssl.SSLError):
        return "set SSL_CERT_FILE to the certificates of your own authority"
    return "check the address: Flink's REST port is 8081 unless it was changed"


def _hint(status: int) -> str:
    if status in (401, 403):
        return ": set PLAN_FLINK_TOKEN, or PLAN_FLINK_USER and PLAN_FLINK_PASSWORD"
    return ": there is no such job, or this is not Flink's REST port" if status == 404 else ""
