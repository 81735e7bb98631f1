"""Paths as a repository names them: the same on every machine that has it checked out."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


def repository_relative(file: str | Path) -> str:
    """A file relative to the top of its repository, or to here where there is none, with forward slashes."""
    path = Path(os.path.abspath(file))  # noqa: PTH100  (links stay as they are written)
    root = repository_root(path.parent) or Path.cwd()
    return (
        path.relative_to(root).as_posix() if path.is_relative_to(root) else Path(os.path.relpath(path, root)).as_posix()
    )


@cache
def repository_root(folder: Path) -> Path | None:
    """The nearest folder at or above that holds a `.git`."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)
