"""Files that the user names: written whole or not at all, with a message where that is not possible."""

from __future__ import annotations

from pathlib import Path

from planner import durable
from planner.errors import OptionError


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Put `content` at `path` in one step: a reader, or a crash, finds the old file or the new one."""
    target = Path(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    if target.exists() and not target.is_file():  # a device or a pipe is written to, never replaced
        _write_into(target, data)
        return
    try:
        durable.write_whole(target.resolve() if target.is_symlink() else target, data)
    except OSError as error:
        raise OptionError(
            f"cannot write {target}: {error.strerror}", hint="give another file with -o, or create the folder first"
        ) from error


def _write_into(target: Path, data: bytes) -> None:
    if target.is_dir():
        raise OptionError(f"cannot write {target}: it is a folder", hint="give a file name with -o")
    target.write_bytes(data)
