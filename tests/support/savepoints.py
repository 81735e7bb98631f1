"""Real savepoints with Flink's own readings and answers, unpacked once per test session."""

from __future__ import annotations

import json
import lzma
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "planner/savepoints"
MODES = ("strict", "allow_non_restored_state")


@dataclass(frozen=True, slots=True)
class Reading:
    """A `_metadata` file and what Flink reads from it."""

    data: bytes
    flink: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Restore:
    """One job, the savepoint it was restored from, and Flink's graph of it and answers."""

    name: str
    job: dict[str, Any]
    savepoint: bytes
    vertices: list[dict[str, Any]]
    answers: dict[str, dict[str, Any]]

    def outcome(self, mode: str) -> str:
        """What Flink answered to the submission; a job that fails later, in its tasks, was started."""
        answer = self.answers[mode]
        return "started" if answer.get("when", "").startswith("in the task") else str(answer["outcome"])


@cache
def _files(archive_name: str = "flink.tar.xz") -> dict[str, bytes]:
    with lzma.open(FOLDER / archive_name) as packed, tarfile.open(fileobj=packed) as archive:
        found = ((member.name, archive.extractfile(member)) for member in archive if member.isfile())
        return {name: opened.read() for name, opened in found if opened is not None}


@cache
def readings() -> dict[str, Reading]:
    """All readings by their name."""
    files = _files()
    names = [name.split("/")[1] for name in files if name.endswith("/flink.json")]
    return {
        name: Reading(files[f"readings/{name}/_metadata"], json.loads(files[f"readings/{name}/flink.json"]))
        for name in names
    }


@cache
def restores() -> dict[str, Restore]:
    """All restores by the name of the pair and Flink's version."""
    found = {}
    for name, text in _files().items():
        if not name.startswith(("pairs/", "more/")):
            continue
        pair = json.loads(text)
        for version, verdict in pair["verdicts"].items():
            found[f"{pair['name']}-{version}"] = Restore(
                name=pair["name"],
                job=pair["job_b"],
                savepoint=savepoint(verdict["savepoint"].removeprefix("savepoints/")),
                vertices=verdict["operators_b"],
                answers={mode: verdict[mode] for mode in MODES},
            )
    return found


@cache
def all_kinds() -> dict[str, Reading]:
    """Files with every kind of handle, by the version of the format."""
    files = _files("kinds.tar.xz")
    names = [name.removesuffix(".json") for name in files if name.startswith("kinds/") and name.endswith(".json")]
    return {
        name.removeprefix("kinds/"): Reading(files[f"{name}.metadata"], json.loads(files[f"{name}.json"]))
        for name in names
    }


@dataclass(frozen=True, slots=True)
class OwnRestore:
    """A restore that was tried on Flink 2.3.0 for what the pairs do not have; both modes were answered alike."""

    job: dict[str, Any]
    savepoint: bytes
    outcome: str
    kind: str | None  # of the complaint


@cache
def own_restores() -> dict[str, OwnRestore]:
    """Parallelism above the maximum, a job that had partly ended, records in flight."""
    files = _files("kinds.tar.xz")
    return {
        each["name"]: OwnRestore(each["job"], files[f"own/{each['savepoint']}.metadata"], each["outcome"], each["kind"])
        for each in json.loads(files["own/restores.json"])
    }


def savepoint(name: str) -> bytes:
    """The `_metadata` file of a savepoint, such as "sum-2.3.0"."""
    return _files()[f"savepoints/{name}/_metadata"]
