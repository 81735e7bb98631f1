"""Files that a crash cannot tear: replaced whole, or appended a line at a time."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["append_json_line", "open_private", "read_json_lines", "sync_folder", "write_json", "write_whole"]


def write_whole(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace `path` by `content`: a reader, or a crash at any moment, meets the old file or the new one."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_mode(path) if mode is None else mode)  # mkstemp's 0600 would hide it from colleagues
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _mode(path: Path) -> int:
    """The old file's permissions, else what any new file would get."""
    with contextlib.suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write_json(path: Path, document: Any, *, mode: int | None = None) -> None:
    """Replace `path` by a JSON document."""
    write_whole(path, (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode(), mode=mode)


def open_private(path: Path) -> BinaryIO:
    """Open a file to append to; a new one is for its owner only."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")


def append_json_line(path: Path, document: Any, *, mode: int = 0o644) -> None:
    """Add one line in a single write; a line that a crash tore is closed first, so that it spoils only itself."""
    line = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, mode)
    try:
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            line = b"\n" + line
        os.write(handle, line)
    finally:
        os.close(handle)


def read_json_lines(path: Path) -> Iterator[Any]:
    """The documents of an append-only file, without lines that a crash left unfinished."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    for line in content.split(b"\n"):
        try:
            yield json.loads(line)
        except ValueError:  # empty, torn, or cut inside a character
            continue


def sync_folder(folder: Path) -> None:
    """Make renames inside `folder` last; a file system that cannot is left as it is."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
