"""What listens at a master's address: told apart without Spark."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from planner.errors import ExecutionError
from spark_runner.clusters.master import parse_master
from spark_runner.clusters.master_version import check_master, check_same_version


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """The address of a server that gives one answer to whoever asks, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            line, _ = server.accept()
            with line:
                line.recv(1_000)
                line.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"


def failure(text: str) -> bytes:
    """Spark's frame for a question it could not answer."""
    return struct.pack("!qbqi", 8 + 1 + 8 + 4 + len(text), 5, 1, len(text)) + text.encode()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "is a web server"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "another protocol"),
        (b"", "hangs up"),
        (failure("java.io.InvalidClassException: org.apache.spark.Some; local class incompatible"), "another version"),
    ],
)
def test_something_else_is_refused(answer: bytes, words: str) -> None:
    with answering(answer) as address, pytest.raises(ExecutionError, match=f"{address} .*{words}"):
        check_master(parse_master(f"spark://{address}"), {})


def test_a_master_that_fails_otherwise_is_left_to_spark() -> None:
    with answering(failure("java.lang.SecurityException: who are you?")) as address:
        check_master(parse_master(f"spark://{address}"), {})


def test_one_master_of_several_will_do() -> None:
    with answering(b"HTTP/1.1 400\r\n\r\n") as web, answering(failure("java.lang.Exception")) as master:
        check_master(parse_master(f"spark://{web},{master}"), {})


def test_a_master_with_a_secret_is_not_asked() -> None:
    check_master(parse_master("spark://127.0.0.1:1"), {"spark.authenticate": "true"})


def test_a_mute_server_is_refused_after_a_while() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute, pytest.raises(ExecutionError, match="says nothing"):
        check_master(parse_master(f"spark://127.0.0.1:{mute.getsockname()[1]}"), {}, timeout=0.2)


@pytest.mark.parametrize(
    ("answer", "words"),
    [(b"HTTP/1.1 200 OK\r\n\r\n<html>", "does not answer as a resource manager"), (b"", "does not answer")],
)
def test_a_resource_manager_that_is_none(
    answer: bytes, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(answer) as address, pytest.raises(ExecutionError, match=f"{address} {words}"):
        configure_yarn(address, tmp_path, monkeypatch)
        check_master(parse_master("yarn"), {})


def test_a_resource_manager_says_that_it_is_no_web_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = b"HTTP/1.1 404 Not Found\r\n\r\nIt looks like you are making an HTTP request to a Hadoop IPC port."
    with answering(said) as address:
        configure_yarn(address, tmp_path, monkeypatch)
        check_master(parse_master("yarn"), {})


def configure_yarn(address: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = f"<property><name>yarn.resourcemanager.address</name><value>{address}</value></property>"
    (folder / "yarn-site.xml").write_text(f"<configuration>{site}</configuration>", encoding="utf-8")
    monkeypatch.setenv("HADOOP_CONF_DIR", str(folder))


def test_versions_are_compared_to_the_minor_number() -> None:
    from pyspark import __version__ as ours

    check_same_version("here", ours.rsplit(".", 1)[0] + ".99")
    with pytest.raises(ExecutionError, match=rf"there runs Spark 3\.5\.1, and this machine's PySpark is {ours}"):
        check_same_version("there", "3.5.1")
