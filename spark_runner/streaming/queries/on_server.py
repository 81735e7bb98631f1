"""Batches over Spark Connect: the server's own Python writes them, and tells this process in files of the checkpoint.

Spark calls a batch's function on the server. It loads this package from a zip beside the checkpoint, writes the sinks
there, and leaves a file with the figures and the printed records of each batch. The client reads the files in order.
"""

from __future__ import annotations

import base64
import contextlib
import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planner.durable import write_whole
from planner.errors import ExecutionError, PlanError
from planner.frontends.python.stand_in import pyflink_stand_in
from planner.job import Location
from spark_runner.executor.layout import Layout
from spark_runner.figures.results import PrintedRecord
from spark_runner.frames.blame import translated
from spark_runner.frames.shipping import pickled_function, write_shipment
from spark_runner.streaming.queries.batches import Batches, BatchFigures, Halted, Here
from spark_runner.streaming.queries.mounted_files import MountedFiles
from spark_runner.streaming.queries.shapes import Shapes
from spark_runner.streaming.queries.sinks import BatchWriter
from spark_runner.streaming.queries.source_files import SourceFiles

__all__ = ["ServerBatches"]

_HALT, _ERROR = "halt", "error.json"


class ServerBatches:
    """The client's half: what Spark is given, and what comes back."""

    def __init__(self, folder: Path, here: Here) -> None:
        self.folder, self.here = folder, here

    def package(self, file: str) -> str:
        """A zip of our code and the job's, which the server and its workers load."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        return str(shutil.copy(write_shipment(file, driver=True), self.folder))

    def function(
        self, shapes: Shapes, layout: Layout, checkpoint: str, folder: str, *, file: str, first: bool
    ) -> Callable[[Any, int], None]:
        """What Spark calls on the server. It is pickled by value: nothing of ours is installed there.

        `folder` is where Spark keeps the checkpoint with this id.
        """
        assert shapes.package is not None
        payload = pickled_function((shapes, layout, checkpoint, folder, first), file)
        return _function(shapes.package, payload, str(self.folder))

    def halt(self) -> None:
        """Begin no other batch."""
        self.here.halt()
        with contextlib.suppress(OSError):
            (self.folder / _HALT).touch()

    def hear(self) -> None:
        """Pass on what the server has told since the last time."""
        for file in sorted(self.folder.glob("batch-*.json")):
            told = json.loads(file.read_bytes())
            file.unlink(missing_ok=True)
            for operator, subtask, text, identifier in told["printed"]:
                self.here.printed(PrintedRecord(operator=operator, subtask=subtask, text=text, identifier=identifier))
            if told["collected"]:
                with pyflink_stand_in():
                    for record in pickle.loads(base64.b64decode(told["collected"])):
                        self.here.collected(record)
            self.here.taken(told["batch"], told["figures"], told["seconds"])

    def error(self) -> ExecutionError | None:
        """What failed on the server, in our own words where it found some."""
        file = self.folder / _ERROR
        try:
            told = json.loads(file.read_bytes())
        except (OSError, ValueError):
            return None
        file.unlink(missing_ok=True)
        place = told["location"]
        return ExecutionError(
            told["message"],
            operator=told["operator"],
            location=None if place is None else Location(*place),
            hint=told["hint"],
        )


def _function(package: str, payload: bytes, folder: str) -> Callable[[Any, int], None]:
    made: dict[str, Any] = {}

    def run(rows: Any, batch: int) -> None:
        import sys

        if not made:
            sys.path.insert(0, package)
            from spark_runner.streaming.queries.on_server import batches_on_server

            made["batches"] = batches_on_server(payload, folder)
        made["batches"](rows, batch)

    return run


# --- on the server --------------------------------------------------------------------------------------------------


def batches_on_server(payload: bytes, folder: str) -> Callable[[Any, int], None]:
    """What takes batches on the server."""
    with pyflink_stand_in():  # a script's own classes are built on it
        shapes, layout, checkpoint, kept, first = pickle.loads(payload)
    told = _Folder(Path(folder))
    writer = BatchWriter(shapes, layout, MountedFiles(), checkpoint)
    batches = Batches(shapes.job, layout, writer, SourceFiles(shapes, MountedFiles(), kept), told)
    claimed = False

    def run(rows: Any, batch: int) -> None:
        nonlocal claimed
        try:
            if not claimed:
                writer.claim(first=first and batch == 0)
                claimed = True
            batches(rows, batch)
        except Halted:
            raise
        except Exception as error:
            told.failed(translated(error, None))
            with contextlib.suppress(Exception):  # the disk may be full: the next try removes it
                writer.forget()
            raise

    return run


class _Folder:
    """Tells the client through files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._printed: list[tuple[str, int | None, str, str | None]] = []
        self._collected: list[Any] = []

    def is_halted(self) -> bool:
        return (self._folder / _HALT).exists()

    def printed(self, record: PrintedRecord) -> None:
        self._printed.append((record.operator, record.subtask, record.text, record.identifier))

    def collected(self, record: Any) -> None:
        self._collected.append(record)

    def taken(self, batch: int, figures: BatchFigures, seconds: float) -> None:
        with pyflink_stand_in():
            collected = base64.b64encode(pickle.dumps(self._collected)).decode() if self._collected else ""
        told = {
            "batch": batch,
            "figures": figures,
            "seconds": seconds,
            "printed": self._printed,
            "collected": collected,
        }
        self._printed, self._collected = [], []
        write_whole(self._folder / f"batch-{batch:012d}.json", json.dumps(told).encode())

    def failed(self, error: PlanError) -> None:
        self._printed, self._collected = [], []
        place = error.location
        told = {
            "message": error.message,
            "operator": getattr(error, "operator", None),
            "location": None if place is None else [place.file, place.line, place.column],
            "hint": error.hint,
        }
        write_whole(self._folder / _ERROR, json.dumps(told).encode())
