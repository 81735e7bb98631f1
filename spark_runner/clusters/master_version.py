"""What listens at the address of a standalone master or a resource manager, asked before the driver's JVM starts.

Spark's own client tries for a minute and then says that nobody answered, whether the other side is a web server, mute,
or a master of another version. Here one question in Spark's protocol (which ports are bound?) tells a master from
anything else; the answer names the port of its web page, and the page says which version it is. A resource manager is
asked for a web page: every Hadoop server answers that this is the wrong port for one.

A frame of the protocol is its length (8 bytes, itself included), a type, and the rest: for a request and its response
a number (8 bytes), the body's length (4 bytes) and a body; for a failure the number and a text. The bodies are Java's
serialized objects. Masters of Spark 4.0 to 4.3 take the same question; a newer PySpark asks nothing, since it may be
serialized differently there, and Spark's log tells later what this would have told at once.
"""

from __future__ import annotations

import http.client
import importlib.metadata
import os
import re
import socket
import struct
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed

from planner.errors import ExecutionError
from spark_runner.clusters.gateway import spark_home
from spark_runner.clusters.master import Address, Master
from spark_runner.clusters.yarn_site import resource_managers

__all__ = ["check_master", "check_same_version"]

_REQUEST, _RESPONSE, _FAILURE = 3, 4, 5
_LONGEST_FRAME = 1_000_000
_FITS = ("4.0", "4.1", "4.2", "4.3")  # versions of Spark that serialize the question as below
_PAGE = 200_000  # bytes of the master's page, whose head has the version
_VERSION = re.compile(r'class="version[^>]*>\s*(\d+\.\d+[^\s<]*)')
_OTHER_CLASSES = ("InvalidClassException", "ClassNotFoundException", "NoClassDefFoundError")
_HIDDEN_BY = ("spark.authenticate", "spark.ssl.", "spark.network.crypto.", "spark.io.encryption.")


class _NoMaster(Exception):
    """Why something that listens is no master for us."""


def check_master(master: Master, conf: Mapping[str, str], *, timeout: float = 15.0) -> None:
    """Refuse a master that is none, or of another version; several are asked at once, and one will do."""
    if master.kind == "yarn":
        _check_any(master, resource_managers(), _resource_manager_refusal, timeout)
    elif master.kind == "standalone" and _minor(_own_version()) in _FITS and not _may_be_hidden(conf):
        _check_any(master, master.addresses, _refusal, timeout)


def _check_any(
    master: Master,
    addresses: tuple[Address, ...],
    refusal_of: Callable[[Address, float], str | None],
    timeout: float,
) -> None:
    if not addresses:
        return
    threads = ThreadPoolExecutor(len(addresses))
    refusals = {}
    try:
        asked = {threads.submit(refusal_of, address, timeout): address for address in addresses}
        for answer in as_completed(asked):
            refusal = answer.result()
            if refusal is None:
                return
            refusals[asked[answer]] = refusal
    finally:
        threads.shutdown(wait=False)
    raise ExecutionError(
        f"{master.url} cannot take the run: {'; '.join(refusals[address] for address in asked.values())}",
        hint="is HADOOP_CONF_DIR this cluster's?"
        if master.kind == "yarn"
        else "give the address that the master prints when it starts (its page is at another port), "
        f"of a cluster with Spark {_minor(_own_version())}",
    )


def _may_be_hidden(conf: Mapping[str, str]) -> bool:
    """Whether a secret or TLS may be configured: such a master answers only those who know it."""
    return (
        any(name.startswith(_HIDDEN_BY) for name in conf)
        or bool(os.environ.get("SPARK_CONF_DIR"))
        or (spark_home() / "conf").exists()
    )


def check_same_version(where: str, version: str) -> None:
    """Refuse a cluster whose Spark is of another minor version: what the two say to each other is not the same."""
    if not _is_ours(version):
        raise ExecutionError(
            f"{where} runs Spark {version}, and this machine's PySpark is {_own_version()}",
            hint=f"use the same version on both sides: {_minor(_own_version())}",
        )


def _is_ours(version: str) -> bool:
    return _minor(version) == _minor(_own_version())


def _minor(version: str) -> str:
    """4.3 of 4.3.0: what two sides must have in common."""
    return ".".join(version.split(".")[:2])


def _own_version() -> str:
    return importlib.metadata.version("pyspark")


def _refusal(address: Address, timeout: float) -> str | None:
    """Why nothing can run through this address; None where something can, or nobody knows."""
    host, port = address
    try:
        version = _page_version(host, _web_port(address, timeout))
    except _NoMaster as reason:
        return f"{host}:{port} {reason}"
    except OSError as error:
        return f"{host}:{port} does not answer ({(error.strerror or str(error)).lower()})"
    if version is None or _is_ours(version):
        return None
    return f"{host}:{port} runs Spark {version}, and this machine's PySpark is {_own_version()}"


def _resource_manager_refusal(address: Address, timeout: float) -> str | None:
    """Why no application can be submitted here; None where one can."""
    place = f"{address[0]}:{address[1]}"
    try:
        with socket.create_connection(address, timeout=timeout) as line:
            line.sendall(b"GET / HTTP/1.0\r\n\r\n")
            said = line.makefile("rb").read(1_000)
    except TimeoutError:
        return f"{place} takes connections and says nothing within {timeout:g} s: no resource manager"
    except OSError as error:
        return f"{place} does not answer ({(error.strerror or str(error)).lower()})"
    return None if b"Hadoop IPC port" in said else f"{place} does not answer as a resource manager does"


def _web_port(address: Address, timeout: float) -> int | None:
    """The port of a master's page; None where a master answers and does not say."""
    with socket.create_connection(address, timeout=timeout) as line:
        line.sendall(_question())
        try:
            kind, content = _answer(line)
        except TimeoutError:
            raise _NoMaster(f"takes connections and says nothing within {timeout:g} s: no Spark master") from None
    if kind == _FAILURE:
        said = content.decode(errors="replace")
        if any(name in said for name in _OTHER_CLASSES):
            raise _NoMaster(f"runs another version of Spark than this machine's PySpark ({_own_version()})")
        return None
    _, found, ports = content.partition(b"Lscala/Option;xp")  # the last field's type, and the end of the fields
    return int(struct.unpack("!ii", ports[:8])[1]) if found and len(ports) >= 8 else None


def _question() -> bytes:
    """Which ports has the endpoint `Master` bound? From nobody in particular: the answer comes back on this line."""
    nobody = b"\0"
    body = nobody + nobody + _text("Master") + _serialized_object()
    content = struct.pack("!bqi", _REQUEST, 1, len(body)) + body
    return struct.pack("!q", 8 + len(content)) + content


def _serialized_object() -> bytes:
    """Scala's singleton `BoundPortsRequest`, as Java serializes it: a proxy that names the singleton's class."""
    start, new_object, class_description, is_class, end, no_parent = b"\xac\xed\0\5", b"s", b"r", b"v", b"x", b"p"
    serializable = b"\2"
    proxy = _text("scala.runtime.ModuleSerializationProxy") + struct.pack("!q", 1) + serializable
    field = struct.pack("!h", 1) + b"L" + _text("moduleClass") + b"t" + _text("Ljava/lang/Class;")
    singleton = _text("org.apache.spark.deploy.master.MasterMessages$BoundPortsRequest$")
    singleton += struct.pack("!q", -626912526822357023) + serializable + struct.pack("!h", 0)
    described = start + new_object + class_description + proxy + field + end + no_parent
    return described + is_class + class_description + singleton + end + no_parent


def _text(written: str) -> bytes:
    return struct.pack("!H", len(written)) + written.encode()


def _answer(line: socket.socket) -> tuple[int, bytes]:
    with line.makefile("rb") as stream:
        head = stream.read(9)
        if len(head) < 9:
            raise _NoMaster("hangs up: no Spark master")
        length, kind = struct.unpack("!qb", head)
        if kind not in (_RESPONSE, _FAILURE) or not 9 < length < _LONGEST_FRAME:
            who = "is a web server" if head.startswith(b"HTTP/") else "answers in another protocol"
            raise _NoMaster(f"{who}: no Spark master")
        return kind, stream.read(length - 9)


def _page_version(host: str, port: int | None, *, timeout: float = 3.0) -> str | None:
    """The version on a master's page; None where there is no page, or none that says it."""
    if port is None:
        return None
    page = http.client.HTTPConnection(host, port, timeout=timeout)
    try:
        page.request("GET", "/")
        found = _VERSION.search(page.getresponse().read(_PAGE).decode(errors="replace"))
    except (OSError, http.client.HTTPException):
        return None
    finally:
        page.close()
    return found[1] if found else None
