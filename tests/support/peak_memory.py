"""The most memory that this process has held."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

__all__ = ["peak_memory"]

_STATUS = Path("/proc/self/status")


def peak_memory() -> int:
    """In bytes. On Linux `ru_maxrss` includes what the process that started this one held: the status is read."""
    if _STATUS.exists():
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held if sys.platform == "darwin" else held * 1024
