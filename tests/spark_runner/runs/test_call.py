"""The call of a driver on the cluster: one address, no message before the proof, JSON only."""

from __future__ import annotations

import contextlib
import pickle
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.errors import ExecutionError
from spark_runner.clusters.master import Master, own_address
from spark_runner.runs.call import Call
from spark_runner.runs.line import Line, Stranger, answer, call

KEY = secrets.token_bytes(32)
YARN = Master(url="yarn", kind="yarn")


@pytest.fixture
def submission() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    yield process
    process.communicate()


def answered_in_a_thread(
    calling: Call, submission: subprocess.Popen[bytes], log: Path
) -> tuple[threading.Thread, list[Line]]:
    lines: list[Line] = []
    thread = threading.Thread(target=lambda: lines.append(calling.answered(submission, YARN, log)), daemon=True)
    thread.start()
    return thread, lines


def test_whoever_knows_the_key_is_answered_and_messages_go_both_ways(
    submission: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    with Call("127.0.0.1", KEY) as calling:
        thread, lines = answered_in_a_thread(calling, submission, tmp_path / "log")
        driver = call(calling.host, calling.port, KEY)
        thread.join(60)
    driver.send(["event", {"text": "ü" * 100_000}])
    assert lines[0].receive() == ["event", {"text": "ü" * 100_000}]
    lines[0].send("run")
    assert driver.receive() == "run"
    lines[0].close()
    with pytest.raises(EOFError):
        driver.receive()


def test_strangers_are_hung_up_on_and_the_driver_is_still_answered(
    submission: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    with Call("127.0.0.1", KEY) as calling:
        thread, lines = answered_in_a_thread(calling, submission, tmp_path / "log")
        with pytest.raises((Stranger, EOFError, OSError)):
            call(calling.host, calling.port, b"another key")
        # what is sent may find that it was hung up already
        with socket.create_connection((calling.host, calling.port)) as talker, contextlib.suppress(OSError):
            talker.sendall(pickle.dumps({"run": "this"}) * 10)
            talker.shutdown(socket.SHUT_WR)
        assert call(calling.host, calling.port, KEY) is not None
        thread.join(60)
    assert len(lines) == 1


def test_a_driver_does_not_talk_to_somebody_else() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def pretend() -> None:
            connection, _ = server.accept()
            with connection, pytest.raises(Stranger):
                answer(connection, b"another key")

        thread = threading.Thread(target=pretend, daemon=True)
        thread.start()
        with pytest.raises((Stranger, EOFError, OSError)):
            call("127.0.0.1", server.getsockname()[1], KEY)
        thread.join(60)


def test_it_listens_at_the_one_address_that_the_cluster_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.5")
    assert own_address(YARN) == "127.0.0.5"
    monkeypatch.delenv("SPARK_LOCAL_IP")
    near = Master(url="k8s://http://127.0.0.1:1", kind="kubernetes", addresses=(("127.0.0.1", 1),))
    assert own_address(near) == "127.0.0.1"
    with Call("127.0.0.1", KEY) as calling:
        assert calling._socket.getsockname()[0] == "127.0.0.1"


def test_a_submission_that_ends_without_a_call_has_failed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with Call("127.0.0.1", KEY) as calling, pytest.raises(ExecutionError, match="Spark did not start on yarn"):
        calling.answered(ended, YARN, tmp_path / "log")
