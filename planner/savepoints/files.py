"""Finds the `_metadata` file that an argument means, and reads it and the state files beside it."""

from __future__ import annotations

import re
import stat
from pathlib import Path, PurePosixPath

from planner.errors import OptionError
from planner.savepoints.cursor import BrokenFile
from planner.savepoints.handle_format import Stream
from planner.savepoints.metadata import MAGIC, Metadata, read_metadata

__all__ = ["FILE_NAME", "Savepoint", "is_savepoint", "load_savepoint"]

FILE_NAME = "_metadata"
_LARGEST = 1 << 30
_DESCRIPTION = 1 << 20  # the descriptions of states stand at the beginning of a file, and are small
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")


class Savepoint:
    """A `_metadata` file that was read, and the folder it lies in."""

    def __init__(self, path: Path, data: bytes, metadata: Metadata) -> None:
        self.path = path
        self.metadata = metadata
        self._data = data

    def inline(self, start: int, length: int) -> bytes:
        """Bytes of `_metadata` itself."""
        return self._data[start : start + length]

    def beginning(self, stream: Stream, limit: int | None = None) -> bytes | None:
        """How a stream begins, or None where it lies in a file that is not here."""
        wanted = min(stream.size, _DESCRIPTION if limit is None else limit)
        if stream.kind == "in-line":
            return self.inline(stream.start, wanted)
        file = self.file_of(stream)
        if file is None:
            return None
        with file.open("rb") as opened:
            opened.seek(stream.start if stream.kind == "segment" else 0)
            return opened.read(min(wanted, _DESCRIPTION))

    def file_of(self, stream: Stream) -> Path | None:
        """The file of a stream in the savepoint's own folder. Paths that lead elsewhere are not followed."""
        name = PurePosixPath(stream.path or "").name
        if stream.kind == "relative file" and stream.path:
            name = stream.path
        if not name or ".." in PurePosixPath(name).parts or PurePosixPath(name).is_absolute():
            return None
        found = self.path.parent / name
        try:
            return found if found.is_file() and not found.is_symlink() else None
        except (OSError, ValueError):
            return None


def is_savepoint(argument: str) -> bool:
    """Whether an argument names a savepoint: a folder with a `_metadata` file, or a file that begins as one does."""
    path = Path(argument)
    try:
        if path.is_dir():
            return (path / FILE_NAME).exists()
        if path.name == FILE_NAME:
            return True
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as opened:
            return opened.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def load_savepoint(argument: str) -> Savepoint:
    """Read the savepoint that an argument names. Raises OptionError where it is none."""
    path = _metadata_path(argument)
    if not path.exists():
        raise OptionError(f"there is no savepoint {argument!r}", hint=_hint(argument))
    data = _read(path)
    try:
        return Savepoint(path, data, read_metadata(data))
    except BrokenFile as error:
        raise OptionError(
            f"{path} cannot be read as a savepoint: {error.message} (at byte {error.at} of {len(data)})",
            hint="copy the file again from where the savepoint was taken, or name another savepoint",
        ) from None


def _metadata_path(argument: str) -> Path:
    path = Path(argument.removeprefix("file://") if argument.startswith("file:///") else argument)
    try:
        return path / FILE_NAME if path.is_dir() else path
    except (OSError, ValueError):
        return path


def _read(path: Path) -> bytes:
    """The bytes of a regular file of a bounded size; anything else might never end."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise OptionError(f"{path} is no file", hint=f"name the savepoint's folder, or the file {FILE_NAME} in it")
        if status.st_size > _LARGEST:
            raise OptionError(f"{path} has {status.st_size} bytes, more than the {_LARGEST} that are read")
        return path.read_bytes()
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from None


def _hint(argument: str) -> str:
    if _SCHEME.match(argument):
        return f"copy the file {FILE_NAME} of the savepoint to this machine, and name the copy"
    if Path(argument).parent.is_dir() and Path(argument).name == FILE_NAME:
        return "name the folder that Flink printed when the savepoint was taken"
    return f"name the savepoint's folder, or the file {FILE_NAME} in it"
