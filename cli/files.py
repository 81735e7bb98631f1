"""Files are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from planner.errors import OptionError


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Put `content` at `path` in one step: a reader, or a crash, finds the old file or the new one."""
    target = Path(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    if target.exists() and not target.is_file():  # a device or a pipe is written to, never replaced
        _write_into(target, data)
        return
    try:
        _replace(target.resolve() if target.is_symlink() else target, data)
    except OSError as error:
        raise OptionError(
            f"cannot write {target}: {error.strerror}", hint="give another file with -o, or create the folder first"
        ) from error


def _write_into(target: Path, data: bytes) -> None:
    if target.is_dir():
        raise OptionError(f"cannot write {target}: it is a folder", hint="give a file name with -o")
    target.write_bytes(data)


def _replace(target: Path, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_mode(target))
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _mode(target: Path) -> int:
    """The old file's permissions, else what any new file would get."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
