"""The runs kept in `.plan/runs/ID/`: what was asked, the state, the events, the report.

A run's folder appears whole, by one rename, and every file in it is replaced whole or grows by a line, so that a crash
of anything at any moment leaves what was last said. A run whose process is gone is shown as failed, whatever its file
says.

    SUBMITTED -> CREATED -> RUNNING -> FINISHED | FAILED | CANCELED
                            RUNNING -> RESTARTING -> RUNNING
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, Literal

from planner.durable import append_json_line, read_json_lines, sync_folder, write_json, write_whole
from planner.errors import InternalError, OptionError, PlanError
from spark_runner.clusters.processes import ProcessIdentity, is_alive, this_process
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.temporary_folders import remove_abandoned_folders

__all__ = ["FINAL_STATES", "RunFolder", "RunRecord", "RunState", "RunStore", "UnreadableRun", "new_run_id"]

RunState = Literal["SUBMITTED", "CREATED", "RUNNING", "RESTARTING", "FINISHED", "FAILED", "CANCELED"]
FINAL_STATES: frozenset[RunState] = frozenset({"FINISHED", "FAILED", "CANCELED"})
_NEXT: dict[RunState, frozenset[RunState]] = {
    "SUBMITTED": frozenset({"CREATED", "FAILED", "CANCELED"}),
    "CREATED": frozenset({"RUNNING", "FAILED", "CANCELED"}),
    "RUNNING": frozenset({"FINISHED", "FAILED", "CANCELED", "RESTARTING"}),
    "RESTARTING": frozenset({"RUNNING", "FAILED", "CANCELED"}),
    **{state: frozenset() for state in FINAL_STATES},
}
_KINDS: dict[str, type | UnionType] = {
    "id": str,
    "name": str | None,
    "submitted": int | float,
    "updated": int | float,
    "started": int | float | None,
    "ended": int | float | None,
    "attempt": int,
    "message": str | None,
}
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_RECORD, _EVENTS, _REPORT, _CANCEL, _LOG = "run.json", "events.jsonl", "report.json", "cancel", "spark.log"
_ASIDE = "aside.jsonl"  # temporary places of its sinks
_ASIDE_NAME = re.compile(r"_.+\.plan-[0-9a-f]{12}")  # as Files.sibling names them
_SERVER = "server.json"  # the session on a Connect server that runs the run's query
_ALIVE = "alive"  # touched while the run goes on: when a killed one ended
_PRIVATE = 0o600  # settings, records and logs of a run are its owner's
_PRIVATE_FOLDER = 0o700


class UnreadableRun(OptionError):
    """A run's record that is damaged, or that somebody put there."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="remove its folder, if nobody needs it")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run as its folder tells it. Times are seconds since the epoch."""

    id: str
    name: str | None
    state: RunState
    process: ProcessIdentity
    request: RunRequest
    submitted: float
    updated: float
    started: float | None = None
    ended: float | None = None
    attempt: int = 1
    message: str | None = None
    died: bool = False  # the process ended without saying how: the state shown is FAILED

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON-ready data."""
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state,
            "died": self.died,
            "attempt": self.attempt,
            "message": self.message,
            "submitted": self.submitted,
            "updated": self.updated,
            "started": self.started,
            "ended": self.ended,
            "process": self.process.to_dict(),
            "request": self.request.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RunRecord:
        """The record that `to_dict` gave."""
        process = ProcessIdentity.from_dict(data["process"])
        record = cls(**{**data, "process": process, "request": RunRequest.from_dict(data["request"])})
        record._check()
        return record

    def _check(self) -> None:
        for name, kinds in _KINDS.items():
            if not isinstance(getattr(self, name), kinds):
                raise TypeError(f"{name} is {getattr(self, name)!r}")
        if not isinstance(self.state, str) or self.state not in _NEXT:
            raise TypeError(f"state is {self.state!r}")
        if not all(isinstance(text, str) for text in (self.request.job, self.request.folder)):
            raise TypeError("its job is not a path")

    @property
    def seconds(self) -> float:
        """How long the run has taken so far, or took: from when it ran, or from its submission where it never did."""
        return max(0.0, (self.ended or time.time()) - (self.started or self.submitted))  # a clock may be set back

    def as_seen(self, last_sign: float = 0.0) -> RunRecord:
        """The record with the truth about its process: one that died did not finish, whatever it last wrote.

        `last_sign` is when it was last known to be alive.
        """
        if self.state in FINAL_STATES or is_alive(self.process) is not False:
            return self
        message = f"its process ({self.process.pid}) died while the run was {self.state}"
        return replace(self, state="FAILED", died=True, message=message, ended=max(self.updated, last_sign))


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run."""

    path: Path

    @property
    def id(self) -> str:
        """The run's id."""
        return self.path.name

    @property
    def log(self) -> Path:
        """Where Spark and the JVM write."""
        return self.path / _LOG

    @property
    def report(self) -> Path:
        """Where the figures are kept."""
        return self.path / _REPORT

    def keep_report(self, document: dict[str, Any]) -> None:
        """Keep the figures."""
        _keep(self.report, document)

    def record(self) -> RunRecord:
        """What the run last said of itself; UnreadableRun where its file is damaged, or is another run's."""
        content = (self.path / _RECORD).read_bytes()
        try:
            record = RunRecord.from_dict(json.loads(content))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, PlanError) as error:
            raise UnreadableRun(f"{self._shown_record()} cannot be read ({_reason(error)})") from error
        if record.id != self.path.name:  # an id is a name in this folder, never a path that leads out of it
            raise UnreadableRun(f"{self._shown_record()} is of another run, {record.id!r}")
        return record

    def _shown_record(self) -> str:
        return os.path.relpath(self.path / _RECORD)

    def seen(self) -> RunRecord:
        """What the run last said of itself, with the truth about its process."""
        try:
            last_sign = (self.path / _ALIVE).stat().st_mtime
        except OSError:
            last_sign = 0.0
        record, place = self.record().as_seen(last_sign), self.left_on_server()
        if place is None:
            return record
        left = "pods may be left" if place["url"].startswith("k8s:") else "query may go on"
        ends = "removes them" if place["url"].startswith("k8s:") else "ends it"
        goes_on = f"its {left} at {place['url']}: `plan cancel {self.id}` {ends}"
        return replace(record, message="; ".join(filter(None, (record.message, goes_on))))

    def left_on_server(self) -> dict[str, str] | None:
        """Where something may go on of a run that is over: its process died, or it ended before its cluster did."""
        record, place = self.record(), self.on_server()
        if place is None or is_alive(record.process) is None:
            return None
        here = record.process == this_process()  # whose last word this is
        over = record.state in FINAL_STATES if here else not is_alive(record.process)
        return place if over else None

    def sign_of_life(self) -> None:
        """Leave the time: a run that is killed cannot say when."""
        with contextlib.suppress(OSError):
            (self.path / _ALIVE).touch()

    def move(self, state: RunState, *, message: str | None = None, attempt: int | None = None) -> RunRecord:
        """Go to another state, on behalf of this process."""
        old = self.record()
        if state not in _NEXT[old.state]:
            raise InternalError(f"run {self.id} cannot go from {old.state} to {state}")
        now = time.time()
        new = replace(
            old,
            state=state,
            process=this_process(),
            updated=now,
            started=old.started or (now if state == "RUNNING" else None),
            ended=now if state in FINAL_STATES else None,
            attempt=attempt or old.attempt,
            message=message,
        )
        _keep(self.path / _RECORD, new.to_dict())
        self.tell({"type": "run", "state": state, "attempt": new.attempt, "message": message})
        return new

    def tell(self, event: dict[str, Any]) -> None:
        """Add one event, stamped with the time."""
        append_json_line(self.path / _EVENTS, {"time": time.time(), **event}, mode=_PRIVATE)

    def events(self) -> Iterator[dict[str, Any]]:
        """The events so far; lines that are no events are left out."""
        for event in read_json_lines(self.path / _EVENTS):
            if isinstance(event, dict) and isinstance(event.get("time"), int | float):
                yield event

    def note_aside(self, path: str) -> None:
        """Remember a temporary place that a sink writes to."""
        append_json_line(self.path / _ASIDE, path, mode=_PRIVATE)

    def remove_asides(self) -> None:
        """Remove what a killed run left on this machine: results that were never put in their place."""
        for path in read_json_lines(self.path / _ASIDE):
            place = Path(str(path).removeprefix("file:"))
            if _ASIDE_NAME.fullmatch(place.name):
                shutil.rmtree(place, ignore_errors=True)
        (self.path / _ASIDE).unlink(missing_ok=True)

    def note_server(self, url: str, session: str) -> None:
        """Remember the session or application that may go on when this process is killed."""
        _keep(self.path / _SERVER, {"url": url, "session": session})

    def on_server(self) -> dict[str, str] | None:
        """The server and the session or application there; None where all ends with the run's process."""
        try:
            return dict(json.loads((self.path / _SERVER).read_bytes()))
        except (OSError, ValueError):
            return None

    def forget_server(self) -> None:
        """The query has ended."""
        (self.path / _SERVER).unlink(missing_ok=True)

    def mark_canceled(self, message: str) -> RunRecord:
        """A run whose process died, and whose query somebody else ended."""
        record = replace(self.record(), state="CANCELED", updated=time.time(), ended=time.time(), message=message)
        _keep(self.path / _RECORD, record.to_dict())
        self.tell({"type": "run", "state": "CANCELED", "attempt": record.attempt, "message": message})
        return record

    def request_cancel(self) -> None:
        """Request that the run ends; its process looks for the request several times a second."""
        (self.path / _CANCEL).touch()

    def cancel_requested(self) -> bool:
        """Whether somebody left that word."""
        return (self.path / _CANCEL).exists()


@dataclass(frozen=True, slots=True)
class RunStore:
    """All runs of one folder."""

    root: Path

    @classmethod
    def under(cls, folder: Path) -> RunStore:
        """The runs that are kept for a project's folder."""
        return cls(folder / ".plan" / "runs")

    def submit(self, request: RunRequest, *, name: str | None = None, run_id: str | None = None) -> RunFolder:
        """A new run in the state SUBMITTED; refused while a run of the same id is going on."""
        run_id = run_id or new_run_id()
        if not _ID.fullmatch(run_id):
            raise OptionError(f"{run_id!r} cannot be a run's id", hint="use letters, digits, '-', '_' and '.'")
        now = time.time()
        record = RunRecord(
            id=run_id,
            name=name,
            state="SUBMITTED",
            process=this_process(),
            request=request.redacted(),
            submitted=now,
            updated=now,
        )
        for folder in (self.root.parent, self.root):
            folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        self._ignore_in_git()
        remove_abandoned_folders()
        with self._lock():
            self._sweep()
            self._make_room(run_id)
            return self._publish(record)

    def begin(self, request: RunRequest, *, name: str | None = None, run_id: str | None = None) -> RunFolder:
        """A new run that this process drives; where it cannot be accepted, nothing of it is left."""
        folder = self.submit(request, name=name, run_id=run_id)
        try:
            folder.move("CREATED")
        except BaseException:
            self.discard(folder)
            raise
        return folder

    def runs(self) -> tuple[RunRecord, ...]:
        """Every run as it is now, oldest first; `unreadable` tells of the others."""
        records = (self._read(folder) for folder in self._folders())
        return tuple(sorted((r for r in records if r is not None), key=lambda r: (r.submitted, r.id)))

    def unreadable(self) -> tuple[str, ...]:
        """What is wrong with each folder whose record is damaged."""
        found = []
        for folder in self._folders():
            try:
                folder.record()
            except UnreadableRun as damage:
                found.append(str(damage))
            except OSError:
                continue
        return tuple(found)

    def _folders(self) -> list[RunFolder]:
        entries = sorted(self.root.iterdir()) if self.root.is_dir() else []
        return [RunFolder(entry) for entry in entries if not entry.name.startswith(".")]

    def folder(self, run_id: str) -> RunFolder:
        """The folder of one run, by its id or by the beginning of it that no other run shares."""
        ids = [record.id for record in self.runs()]
        matches = [run_id] if run_id in ids else [known for known in ids if run_id and known.startswith(run_id)]
        if len(matches) == 1:
            return RunFolder(self.root / matches[0])
        if matches:
            raise OptionError(f"{run_id!r} fits {len(matches)} runs: {', '.join(matches)}")
        if _ID.fullmatch(run_id) and (self.root / run_id / _RECORD).is_file():
            RunFolder(self.root / run_id).record()  # says what is wrong with it
        raise OptionError(f"there is no run {run_id!r} in {self._shown()}", hint="`plan runs` lists those there are")

    def discard(self, run: RunFolder) -> None:
        """Remove a run that was never accepted, so that nothing of it is left behind."""
        gone = self.root / f".gone-{run.id}-{secrets.token_hex(4)}"
        with contextlib.suppress(FileNotFoundError):
            run.path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def _read(self, folder: RunFolder) -> RunRecord | None:
        try:
            return folder.seen()
        except (FileNotFoundError, NotADirectoryError, UnreadableRun):
            return None  # removed meanwhile, nothing of ours, or damaged

    def _make_room(self, run_id: str) -> None:
        earlier = self._read(RunFolder(self.root / run_id))
        if earlier is None:
            if (self.root / run_id / _RECORD).exists():
                RunFolder(self.root / run_id).record()  # says what is wrong with it
            return
        if earlier.state not in FINAL_STATES:
            raise OptionError(
                f"run {run_id!r} is {earlier.state} already (process {earlier.process.pid})",
                hint=f"wait for it, `plan cancel {run_id}`, or give another --id",
            )
        gone = self.root / f".gone-{run_id}-{secrets.token_hex(4)}"
        (self.root / run_id).rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def _publish(self, record: RunRecord) -> RunFolder:
        fresh = self.root / f".new-{record.id}-{secrets.token_hex(4)}"
        fresh.mkdir(mode=_PRIVATE_FOLDER)
        try:
            _keep(fresh / _RECORD, record.to_dict())
            submitted = {"time": record.submitted, "type": "run", "state": "SUBMITTED", "attempt": 1}
            append_json_line(fresh / _EVENTS, submitted, mode=_PRIVATE)
            final = RunFolder(self.root / record.id)
            fresh.rename(final.path)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        sync_folder(self.root)
        return final

    def _sweep(self) -> None:
        """Remove what killed submissions left: nobody else is between these steps while the lock is held."""
        for entry in self.root.iterdir():
            if entry.name.startswith((".new-", ".gone-")):
                shutil.rmtree(entry, ignore_errors=True)
            elif (entry / _ASIDE).exists() and self._is_dead(RunFolder(entry)):
                RunFolder(entry).remove_asides()

    def _is_dead(self, run: RunFolder) -> bool:
        record = self._read(run)
        return record is not None and record.died

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """One submission at a time; the system lets go of the lock when its holder is killed."""
        with (self.root / ".lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _ignore_in_git(self) -> None:
        """Nothing in `.plan/` belongs into a repository."""
        file = self.root.parent / ".gitignore"
        if not file.exists():
            write_whole(file, b"*\n")

    def _shown(self) -> str:
        return os.path.relpath(self.root)


def _keep(path: Path, document: dict[str, Any]) -> None:
    write_json(path, document, mode=_PRIVATE)


def _reason(error: Exception) -> str:
    return f"no {error}" if isinstance(error, KeyError) else str(error)


def new_run_id() -> str:
    """An id that sorts by time and is short enough to type."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(2)}"
