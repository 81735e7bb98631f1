"""Where in the user's own code a call into this package was made."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Final

from planner.job import Location

__all__ = ["PACKAGE_FOLDER", "caller_line", "shown", "shown_folders", "user_location"]

PACKAGE_FOLDER: Final = str(Path(__file__).absolute().parents[2]) + os.sep

_IMPORTING: Final = "<frozen importlib"  # between an import and what it asks for

# While a job's file is loaded: its folder, absolute, and as the user wrote it, so that messages show what was typed.
shown_folders: dict[str, str] = {}


def user_location() -> Location:
    """The file and line of the innermost caller outside this package, as messages show them."""
    filename, line = caller_line()
    return Location(shown(filename), line)


def caller_line() -> tuple[str, int]:
    """The real file name and line of the innermost caller outside this package."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith((PACKAGE_FOLDER, _IMPORTING)) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def shown(filename: str) -> str:
    """A file's name as the user would write it."""
    for folder, written in shown_folders.items():
        if filename.startswith(folder + os.sep):
            return _joined(written, filename[len(folder) + 1 :])
    return filename


@cache
def _joined(folder: str, name: str) -> str:
    """A job of 20,000 operators asks once per operator, for the same few files."""
    return str(Path(folder) / name)
