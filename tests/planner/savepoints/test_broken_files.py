"""A file that is broken, cut off or made to harm ends in one message, never in a traceback or a full memory."""

from __future__ import annotations

import json
import os
import struct
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.render.styled import plain
from cli.render.text.restore import restore_lines
from cli.render.text.savepoint import savepoint_lines
from planner import load_job_data, plan
from planner.errors import OptionError
from planner.savepoints.contents import describe_savepoint
from planner.savepoints.cursor import BrokenFile
from planner.savepoints.fates import restore
from planner.savepoints.files import Savepoint, is_savepoint, load_savepoint
from planner.savepoints.metadata import read_metadata
from tests.support.savepoints import all_kinds, readings

FILES = {**readings(), **all_kinds()}
SEEDS = [*sorted(readings())[::12], *sorted(all_kinds())]  # together they have every kind of handle


def message(data: bytes) -> str:
    with pytest.raises(BrokenFile) as caught:
        read_metadata(data)
    return caught.value.message


@pytest.mark.parametrize("name", SEEDS)
def test_every_cut_is_noticed(name: str) -> None:
    data = FILES[name].data
    for length in range(0, len(data), 1 if len(data) < 4000 else 7):
        message(data[:length])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SEEDS), st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), max_size=8))
def test_changed_bytes_are_read_or_refused(name: str, changes: list[tuple[int, int]]) -> None:
    data = bytearray(FILES[name].data)
    for at, value in changes:
        data[at % len(data)] = value
    _read_or_refuse(bytes(data))


@settings(max_examples=200, deadline=None)
@given(st.integers(-1, 8), st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(version: int, body: bytes) -> None:
    _read_or_refuse(bytes.fromhex("4960672d") + struct.pack(">i", version) + body)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SEEDS), st.integers(0, 1 << 20), st.integers(-(1 << 31), (1 << 31) - 1))
def test_a_wrong_length_takes_no_memory(name: str, at: int, value: int) -> None:
    data = bytearray(FILES[name].data)
    at %= len(data) - 4
    data[at : at + 4] = struct.pack(">i", value)
    tracemalloc.start()
    with suppress(BrokenFile):
        read_metadata(bytes(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


SUM = plan(
    load_job_data(
        {
            "operators": [
                {"id": "src", "type": "source", "uid": "source"},
                {"id": "sum", "type": "sum", "input": "src", "key_by": "k", "uid": "proc"},
                {"id": "out", "type": "print", "input": "sum"},
            ]
        }
    ),
    until="job",
)


def _read_or_refuse(data: bytes) -> None:
    """Whatever can be read can also be described, compared and printed."""
    try:
        contents = describe_savepoint(Savepoint(Path("nowhere/_metadata"), data, read_metadata(data)))
        json.dumps(contents.to_dict())
        json.dumps(restore(SUM, contents).to_dict())
        plain([*savepoint_lines(contents), *restore_lines(restore(SUM, contents))])
    except BrokenFile as error:
        assert error.message
        assert 0 <= error.at <= len(data)


def test_handles_in_handles_without_end_are_refused() -> None:
    changelog = bytes([14]) + struct.pack(">iiq", 0, 1, 0) + struct.pack(">i", 1)
    operator = struct.pack(">16siibi", b"x" * 16, 1, 128, 0, 1) + struct.pack(">iii", 0, 0, 0)
    head = bytes.fromhex("4960672d") + struct.pack(">iqii", 4, 1, 0, 1)
    assert "deep" in message(head + operator + changelog * 1000 + b"\0" * 1000)


def test_the_versions_that_flink_does_not_read_are_named() -> None:
    head = bytes.fromhex("4960672d")
    assert "no longer reads" in message(head + struct.pack(">i", 1))
    assert "version 7" in message(head + struct.pack(">i", 7))


def test_the_message_says_where_and_what_next(tmp_path: Path) -> None:
    data = readings()["sum.hashmap.native-2.3.0"].data
    (tmp_path / "_metadata").write_bytes(data[:200])
    with pytest.raises(OptionError, match=r"the file ends inside .* \(at byte \d+ of 200\)") as caught:
        load_savepoint(str(tmp_path))
    assert caught.value.hint


def test_no_savepoint_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("operators: []")
    assert not is_savepoint(str(tmp_path / "job.yaml"))
    assert not is_savepoint("no such file")
    assert not is_savepoint("bad\0name")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(OptionError, match="there is no savepoint"):
        load_savepoint(str(empty))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "_metadata")
    with pytest.raises(OptionError, match="is no file"):
        load_savepoint(str(tmp_path))


def test_an_address_is_explained() -> None:
    with pytest.raises(OptionError) as caught:
        load_savepoint("s3://bucket/savepoint-1")
    assert "copy" in (caught.value.hint or "")


def test_state_names_are_only_read_from_the_description(tmp_path: Path) -> None:
    """A value that looks like a state's description is user data."""
    (tmp_path / "_metadata").write_bytes(readings()["sum.hashmap.native-2.3.0"].data)
    found = describe_savepoint(load_savepoint(str(tmp_path)))
    assert [state.name for each in found.operators for state in each.states] == ["_op_state"]
