"""The text of a job's file, whichever front end reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from planner.errors import JobDefinitionError
from planner.job import Location

__all__ = ["read_text"]

MAX_BYTES: Final = 64 * 1024 * 1024


def read_text(path: Path, shown_as: str) -> str:
    """The text of a UTF-8 file that is not absurdly large."""
    try:
        size = path.stat().st_size
        raw = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        raise JobDefinitionError(
            f"cannot read the file: {error.strerror or error}", location=Location(shown_as, 1)
        ) from None
    if size > MAX_BYTES:
        raise JobDefinitionError(
            f"the file has {size:,} bytes; a job's file may have {MAX_BYTES:,}",
            location=Location(shown_as, 1),
            hint="keep data in files of its own and name them with `path`",
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        raise JobDefinitionError(
            f"byte 0x{raw[error.start]:02x} is not UTF-8",
            location=Location(shown_as, line, column),
            hint="save the file as UTF-8",
        ) from None
