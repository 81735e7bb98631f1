"""A streaming run's checkpoint: what is in it, whose it is, and whether a job may continue from it.

DIR/plan.json   what keeps state: operators by id, layers, parallelism; the sources
DIR/spark/      Spark's own checkpoint
DIR/control/    the control source
DIR/told/       what a Connect server tells of its batches
DIR/owner       the run that uses it, locked while that run lives
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any

from planner.durable import write_json
from planner.errors import OptionError
from spark_runner.program.chunks import ChunkPlan
from spark_runner.streaming.comparison import check_restart, state_plan
from spark_runner.streaming.storage import Folder

__all__ = ["Checkpoint"]

# Of how state is kept. 4 put keys of 32 bits and text enums elsewhere, 3 named the classes of rows and times by their
# old module, 2 kept timers and windows in another form, 1 put keys such as `a` to `h` into one subtask.
_VERSION = 5

_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


class Checkpoint:
    """The folder of one streaming job's progress."""

    def __init__(self, path: Path, *, lost: frozenset[str] = frozenset()) -> None:
        self.path, self._asked = path, lost
        self.generations: dict[str, int] = {}  # by operator id, how often its state was given up
        self._lock: int | None = None
        self._check_trusted()
        self._document: dict[str, Any] = self._read()

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads((self.path / "plan.json").read_text())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise OptionError(
                f"the checkpoint {self.path} cannot be read: {error}", hint="start with a new --checkpoint"
            ) from error
        return dict(found)

    def _check_trusted(self) -> None:
        """Refuse a folder that somebody else may write to: state is unpickled, so whoever writes it runs code here."""
        for folder in (self.path, *(self.path / name for name in ("spark", "control", "told"))):
            try:
                found = folder.stat()
            except OSError:
                continue
            if found.st_uid not in (0, os.geteuid()):
                problem, mend = "belongs to another user", f"make it yours (chown -R {os.geteuid()} {self.path})"
            elif found.st_mode & 0o002 or (found.st_mode & 0o020 and found.st_gid != os.getegid()):
                problem, mend = "can be written by other users", f"take the right away (chmod go-w {folder})"
            else:
                continue
            raise OptionError(
                f"the checkpoint {folder} {problem}, who could put code into its state",
                hint=f"{mend} if you trust what it holds, or give a --checkpoint of your own",
            )

    @property
    def id(self) -> str:
        """A name of its own, kept from its first start on."""
        if "id" not in self._document:
            self._document["id"] = uuid.uuid4().hex[:8]
        return str(self._document["id"])

    @property
    def spark(self) -> str:
        """Spark's own part."""
        return str(self.path / "spark")

    @property
    def control(self) -> Folder:
        """The control source's part."""
        return Folder(self.path / "control")

    @property
    def told(self) -> Path:
        """Where a Connect server tells of its batches."""
        return self.path / "told"

    @property
    def started(self) -> bool:
        """Whether a batch was ever planned on it."""
        return any((self.path / "spark" / "offsets").glob("[0-9]*"))

    @property
    def finished(self) -> bool:
        """Whether the end of all input went through on it."""
        return bool(self._document.get("finished"))

    def check(self, job: ChunkPlan) -> None:
        """Refuse a job that would lose state of this checkpoint, or take it for something else."""
        known = {one["key"] for plan in (self._document, state_plan(job)) for one in plan.get("operators", ())}
        unknown = sorted(self._asked - known)
        if unknown and self._document:
            raise OptionError(f"--allow-lost-state {unknown[0]}: the checkpoint has no state of such an operator")
        if self._document.get("operators") is not None:
            self._check_version()
            lost = check_restart(self._document, job, allowed=self._asked, checkpoint=str(self.path))
            before = dict(self._document.get("generations", {}))
            # state under a new name: what was kept under the old one is never read again
            self.generations = {**before, **{one: before.get(one, 0) + 1 for one in lost}}
        elif (self.path / "spark").exists():
            raise OptionError(
                f"{self.path} holds a Spark checkpoint that this tool did not write",
                hint="start with another --checkpoint",
            )

    def _check_version(self) -> None:
        if self._document["operators"] and self._document.get("version") != _VERSION:
            raise OptionError(
                f"the checkpoint {self.path} was written by another version of plan, which keeps state in another form",
                hint="go on with that version, or start with a new --checkpoint",
            )
        before = self._document.get("python", _PYTHON)
        if self._document["operators"] and before != _PYTHON:
            # Values of the job's own classes are kept with their code, and another Python would run it wrongly.
            raise OptionError(
                f"the checkpoint {self.path} has state of Python {before}, and this is Python {_PYTHON}: "
                "its values may hold code that only the same minor version can run",
                hint=f"go on with Python {before}, or start with a new --checkpoint",
            )

    def check_free(self) -> None:
        """Refuse a checkpoint that a living run uses."""
        if (self.path / "owner").exists():
            self.claim("")
            self.release()

    def claim(self, run: str) -> None:
        """Take the checkpoint for this process, until it ends."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.path / "owner", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(handle, 200, 0).decode(errors="replace").strip()
            os.close(handle)
            raise OptionError(
                f"run {owner or 'of another process'} uses the checkpoint {self.path}",
                hint="wait for it, cancel it, or give this run another --checkpoint",
            ) from None
        if run:
            os.ftruncate(handle, 0)
            os.pwrite(handle, run.encode(), 0)
        self._lock = handle

    def release(self) -> None:
        """Let go of it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def begin(self, job: ChunkPlan) -> None:
        """Write down what is about to keep state here."""
        self._document = {
            "version": _VERSION,
            "python": _PYTHON,
            "id": self.id,
            "generations": self.generations,
            **state_plan(job),
        }
        self.path.mkdir(parents=True, exist_ok=True)
        write_json(self.path / "plan.json", self._document)

    def finish(self) -> None:
        """Write down that all input has gone through."""
        self._document["finished"] = True
        write_json(self.path / "plan.json", self._document)
