"""Where a run happens: Spark's master URLs, read and checked before anything starts."""

from __future__ import annotations

import functools
import os
import re
import socket
from dataclasses import dataclass
from typing import Literal

from planner.errors import ExecutionError, OptionError
from spark_runner.clusters.yarn_site import resource_managers

__all__ = ["Master", "check_deploy_mode", "check_reachable", "own_address", "parse_master"]

MasterKind = Literal["local", "standalone", "yarn", "kubernetes", "connect"]
Address = tuple[str, int]

_LOCAL = re.compile(r"local(\[(\*|[1-9]\d*)(,\s*[1-9]\d*)?\])?")
_LOCAL_CLUSTER = re.compile(r"local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]")
_ADDRESS = re.compile(r"(?P<host>[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>\d{1,5})")
_KNOWN = "local[N], local[*], spark://host:7077[,host:7077], yarn, k8s://https://host:443 or sc://host:15002"
_CONNECT_PORT = 15002
_SERVERS = {"yarn": "resource manager", "connect": "Spark Connect server", "kubernetes": "Kubernetes API server"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Master:
    """A master URL and what it means. `addresses` are those a driver connects to, empty where there is none."""

    url: str
    kind: MasterKind
    addresses: tuple[Address, ...] = ()


@functools.cache
def parse_master(url: str) -> Master:
    """The master of a URL, read once per process; a malformed one is refused with the forms there are."""
    if _LOCAL.fullmatch(url) or _LOCAL_CLUSTER.fullmatch(url):
        return Master(url=url, kind="local")
    if url == "yarn":
        return Master(url=url, kind="yarn")
    scheme, separator, rest = url.partition("://")
    if separator and rest:
        if scheme == "spark":
            return Master(url=url, kind="standalone", addresses=tuple(_address(url, part) for part in rest.split(",")))
        if scheme == "sc":
            return Master(url=url, kind="connect", addresses=(_connect_address(url, rest),))
        if scheme == "k8s":
            return _kubernetes(url, rest)
    raise OptionError(f"{url!r} is not a Spark master", hint=f"give {_KNOWN}")


def check_reachable(master: Master, *, timeout: float = 5.0) -> None:
    """Refuse a master nobody listens at, in seconds: Spark itself tries for a minute, then prints a stack trace."""
    failures = []
    for address in resource_managers() if master.kind == "yarn" else master.addresses:
        failure = _connection_failure(address, timeout)
        if failure is None:
            return
        failures.append(f"{address[0]}:{address[1]} ({failure})")
    if failures:
        who = _SERVERS.get(master.kind, "Spark master")
        raise ExecutionError(
            f"no {who} answers at {master.url}: {', '.join(failures)}",
            hint="is it running, and is the address the one it prints when it starts?"
            if master.kind != "yarn"
            else "is it running, and is HADOOP_CONF_DIR this cluster's?",
        )


def check_deploy_mode(master: Master, deploy_mode: str) -> None:
    """Refuse a driver on the cluster where Spark has none for Python."""
    if deploy_mode == "cluster" and master.kind not in ("yarn", "kubernetes"):
        raise OptionError(
            f"--deploy-mode cluster is not supported on {master.url}: Spark takes Python drivers on yarn and k8s://",
            hint="leave --deploy-mode out, or run it with --detach",
        )
    if deploy_mode == "cluster" and master.kind == "kubernetes":
        raise OptionError(
            f"--deploy-mode cluster is not supported on {master.url}: nobody here could end the driver's pod",
            hint="leave --deploy-mode out: executors still run on the cluster; --detach keeps the driver going here",
        )


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


def _address(url: str, written: str) -> Address:
    found = _ADDRESS.fullmatch(written)
    if found is None or not 0 < int(found["port"]) < 65536:
        raise OptionError(f"{url!r} is not a Spark master: {written!r} is not host:port", hint=f"give {_KNOWN}")
    return found["host"].strip("[]"), int(found["port"])


def _connect_address(url: str, rest: str) -> Address:
    place = re.split(r"[/;]", rest, maxsplit=1)[0]
    return _address(url, place if ":" in place else f"{place}:{_CONNECT_PORT}")


def _kubernetes(url: str, rest: str) -> Master:
    found = re.fullmatch(r"(?:(https?)://)?([A-Za-z0-9_.-]+)(?::(\d{1,5}))?(/.*)?", rest)
    if found is None:
        raise OptionError(f"{url!r} is not a Spark master", hint=f"give {_KNOWN}")
    port = int(found[3]) if found[3] else (80 if found[1] == "http" else 443)
    return Master(url=url, kind="kubernetes", addresses=((found[2], port),))


def _connection_failure(address: Address, timeout: float) -> str | None:
    try:
        socket.create_connection(address, timeout=timeout).close()
    except TimeoutError:
        return f"no answer within {timeout:g} s"
    except socket.gaierror:
        return "unknown host"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return None


def _route_to(address: Address) -> str | None:
    """Our end of the way there: a datagram socket looks it up, and sends nothing."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(*address, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as probe:
            probe.connect(place)
            return str(probe.getsockname()[0])
    except OSError:
        return None
