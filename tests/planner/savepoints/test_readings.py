"""Every `_metadata` file is read as Flink reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.savepoints.contents import OperatorContents, SavepointContents, describe_savepoint
from planner.savepoints.files import load_savepoint
from tests.support.savepoints import all_kinds, readings


def contents(data: bytes, folder: Path) -> SavepointContents:
    (folder / "_metadata").write_bytes(data)
    return describe_savepoint(load_savepoint(str(folder)))


def names(operator: OperatorContents) -> list[str]:
    """The states as Flink's reading writes them."""
    return sorted(
        f"op {state.name} {state.type}" if state.kind == "OPERATOR" else f"{state.kind} {state.name} {state.type}"
        for state in operator.states
    )


def test_there_are_a_hundred_readings() -> None:
    assert len(readings()) == 100


@pytest.mark.parametrize("name", sorted(readings()))
def test_a_file_is_read_as_flink_reads_it(name: str, tmp_path: Path) -> None:
    reading = readings()[name]
    found = contents(reading.data, tmp_path)
    document = found.to_dict()
    assert document["version"] == reading.flink["version"]
    assert document["checkpoint_id"] == reading.flink["checkpoint_id"]
    assert len(document["operators"]) == len(reading.flink["operators"])
    for ours, operator, flink in zip(document["operators"], found.operators, reading.flink["operators"], strict=True):
        expected: dict[str, Any] = {"name": None, "uid": None, **flink}
        wanted = expected.pop("names")
        assert {key: ours[key] for key in expected} == expected
        if wanted is not None:
            assert operator.all_named
            assert names(operator) == sorted(state.replace(" null", " None") for state in wanted)


@pytest.mark.parametrize("name", sorted(all_kinds()))
def test_every_kind_of_handle_of_every_version_is_read_as_flink_reads_it(name: str, tmp_path: Path) -> None:
    reading = all_kinds()[name]
    found = contents(reading.data, tmp_path)
    assert found.metadata.version == int(name[-1])
    assert found.metadata.checkpoint_id == reading.flink["checkpoint_id"]
    assert len(found.metadata.master_states) == reading.flink["master"]
    assert len(found.operators) == len(reading.flink["operators"])
    for operator, flink in zip(found.operators, reading.flink["operators"], strict=True):
        ours = {**operator.to_dict(), "kinds": sorted(operator.kinds), "subtasks": len(operator.saved.subtasks)}
        assert {key: ours[key] for key in flink} == flink


def test_names_beyond_ascii_are_read_as_java_writes_them(tmp_path: Path) -> None:
    found = contents(all_kinds()["v6"].data, tmp_path)
    names = {state.name for operator in found.operators for state in operator.states}
    assert {"eins", "zwei\N{GRINNING FACE}", "drei"} <= names


@pytest.mark.parametrize(
    ("name", "taken_as", "format_", "backend"),
    [
        ("sum.hashmap.native-2.3.0", "savepoint", "native", "hashmap"),
        ("reduce_uid.rocks.canonical-1.20.5", "savepoint", "canonical", None),
        ("sum.rocks-inc.checkpoint-2.3.0", "checkpoint", None, "rocksdb"),
        ("process.hashmap-changelog.checkpoint-2.3.0", "checkpoint", None, "changelog"),
    ],
)
def test_the_properties_tell_what_it_is(
    name: str, taken_as: str, format_: str | None, backend: str | None, tmp_path: Path
) -> None:
    document = contents(readings()[name].data, tmp_path).to_dict()
    assert (document["taken_as"], document["format"], document["state_backend"]) == (taken_as, format_, backend)


def test_names_in_a_state_file_are_found_where_the_file_is_there(tmp_path: Path) -> None:
    missing = contents(readings()["window.hashmap-small.canonical-2.3.0"].data, tmp_path)
    operator = next(each for each in missing.operators if each.saved.has_state)
    assert not operator.all_named
    assert operator.states == ()
    assert len(missing.missing_files) == 2
    described = _window_description()
    for name in missing.missing_files:
        (tmp_path / name).write_bytes(described)
    whole = describe_savepoint(load_savepoint(str(tmp_path)))
    operator = next(each for each in whole.operators if each.saved.has_state)
    assert operator.all_named
    assert not whole.missing_files
    assert "window-contents" in [state.name for state in operator.states]


def _window_description() -> bytes:
    """The first bytes of a state file, as Flink 1.20 keeps them in `_metadata` itself."""
    data = readings()["window.hashmap-small.canonical-1.20.5"].data
    start = data.index(b"window-contents")
    return data[start - 400 : start + 4000]


def test_paths_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    reading = readings()["window.hashmap-small.canonical-2.3.0"]
    found = contents(reading.data, tmp_path)
    name = found.missing_files[0].encode()
    outside = b"../" + b"x" * (len(name) - 3)
    (tmp_path.parent / outside[3:].decode()).write_bytes(_window_description())
    changed = contents(reading.data.replace(name, outside), tmp_path)
    operator = next(each for each in changed.operators if each.saved.has_state)
    assert operator.states == ()
