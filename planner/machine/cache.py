"""Where things are kept that can be made again: under the user's cache folder, never in the project."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """The folder of this tool in XDG's cache folder; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "plan-inspector"
