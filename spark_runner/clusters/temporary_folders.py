"""Temporary folders with their owner in them, so that the next run removes those of a run that was killed."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from spark_runner.clusters.processes import ProcessIdentity, is_alive, this_process

__all__ = ["make_temporary_folder", "remove_abandoned_folders", "remove_own_folders"]

_PREFIX, _OWNER = "plan-temporary-", ".owner.json"
_own: list[Path] = []


def make_temporary_folder() -> Path:
    """A new folder that belongs to this process; whoever made it removes it."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    _own.append(folder)
    (folder / _OWNER).write_text(json.dumps(this_process().to_dict()))
    return folder


def remove_own_folders() -> None:
    """Remove the folders of this process, which is about to end."""
    while _own:
        shutil.rmtree(_own.pop(), ignore_errors=True)


def remove_abandoned_folders() -> None:
    """Remove the folders of processes that have died."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = _owner(folder)
        if owner is not None and is_alive(owner) is False:
            shutil.rmtree(folder, ignore_errors=True)


def _owner(folder: Path) -> ProcessIdentity | None:
    try:
        return ProcessIdentity.from_dict(json.loads((folder / _OWNER).read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        return None  # somebody else's, or just being made
