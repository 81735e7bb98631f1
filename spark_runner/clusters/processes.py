"""Identifies the process of a run, so that a new process with the number of a dead one is not taken for it."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["ProcessIdentity", "is_alive", "this_process"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIdentity:
    """A process id made unique: the same number may come back after this process's end, or after a reboot."""

    pid: int
    started: str
    host: str

    def to_dict(self) -> dict[str, Any]:
        """The identity as JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ProcessIdentity:
        """The identity that `to_dict` gave."""
        return cls(pid=int(data["pid"]), started=str(data["started"]), host=str(data["host"]))


def this_process() -> ProcessIdentity:
    """The process that asks."""
    pid = os.getpid()
    return ProcessIdentity(pid=pid, started=_started(pid) or "", host=platform.node())


def is_alive(process: ProcessIdentity) -> bool | None:
    """Whether that very process still runs; None where another machine would have to be asked."""
    if process.host != platform.node():
        return None
    started = _started(process.pid)
    return started is not None and started == process.started


def _started(pid: int) -> str | None:
    """When a process began, in the system's own terms; None when there is no such process or only its zombie."""
    if Path("/proc/self/stat").exists():
        return _started_on_linux(pid)
    answer = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, started = answer.stdout.strip().partition(" ")
    return started.strip() if started and not state.startswith("Z") else None


def _started_on_linux(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    # The name, in parentheses, may hold spaces and parentheses itself: fields count from after the last one.
    fields = stat.rpartition(")")[2].split()
    state, ticks = fields[0], fields[19]
    return None if state in "ZX" else f"{ticks}@{boot}"
