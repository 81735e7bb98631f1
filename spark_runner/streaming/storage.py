"""Small files in a checkpoint, on a file system that this machine and all workers see."""

from __future__ import annotations

import os
from pathlib import Path

from planner.durable import write_whole
from planner.errors import OptionError

__all__ = ["Folder", "local_folder"]


class Folder:
    """A folder whose files are written whole."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def make(self) -> None:
        """Have the folder there."""
        self.path.mkdir(parents=True, exist_ok=True)

    def exists(self, name: str) -> bool:
        """Whether a file is there."""
        return (self.path / name).exists()

    def write(self, name: str, content: bytes, *, modified: float | None = None) -> None:
        """Replace a file; `modified` is the time it then has."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, content)
        if modified is not None:
            os.utime(target, (modified, modified))

    def inner(self, name: str) -> Folder:
        """A folder inside."""
        return Folder(self.path / name)


def local_folder(written: str, folder: Path) -> Path:
    """The path of a checkpoint, relative to where the command was given."""
    if written.startswith("file:"):
        written = "/" + written.removeprefix("file:").lstrip("/")
    if "://" in written:
        raise OptionError(
            f"--checkpoint {written}: a checkpoint must be a folder of this machine's file system",
            hint="on a cluster, use a folder that all machines have mounted",
        )
    return (folder / written).absolute()
