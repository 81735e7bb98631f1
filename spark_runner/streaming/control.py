"""The control source: a folder of small text files in the checkpoint that is part of every query from its first start.

It asks for slices of records that the job itself has, for ticks of processing time, and says that the input has ended.
The number of a query's sources can never change, so this one is always there.
"""

from __future__ import annotations

import json
import math
import pickle
import sys
import time
from typing import Any

from planner.job import Collection, Sequence
from spark_runner.program.chunks import ChunkPlan
from spark_runner.streaming.storage import Folder

__all__ = ["Control", "feed_sizes", "slice_size"]

LEAST, MOST = 1_000, 500_000  # records of each subtask in one slice
_SLICE_BYTES = 32 * 2**20  # what a slice may take in a worker's memory, before anything is made of it
_SAMPLE = 100  # records that are looked at for their size
_ORDERS = "orders"
_APART = 0.01  # seconds between the times of two files


def feed_sizes(job: ChunkPlan) -> list[int]:
    """How many records the longest subtask of every source of the job's own has."""
    sizes = []
    for source in job.sources:
        behaviour = source.operator.behaviour
        if isinstance(behaviour, Collection | Sequence):
            total = len(behaviour.records) if isinstance(behaviour, Collection) else behaviour.end - behaviour.start + 1
            sizes.append(math.ceil(max(0, total) / source.parallelism))
    return sizes


def slice_size(job: ChunkPlan) -> int:
    """How many records of each subtask go into one batch: as many as workers keep in memory without trouble."""
    largest = 1
    for source in job.sources:
        if isinstance(source.operator.behaviour, Collection):
            records = source.operator.behaviour.records
            for record in records[:: max(1, len(records) // _SAMPLE)]:
                largest = max(largest, _bytes(record))
    return min(MOST, max(LEAST, _SLICE_BYTES // max(64, largest)))


def _bytes(record: Any) -> int:
    try:
        return len(pickle.dumps(record))
    except Exception:  # of the job's own classes: how it travels is found out elsewhere
        return sys.getsizeof(record)


class Control:
    """The files of one checkpoint's control source."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    def prepare(self, job: ChunkPlan, size: int | None = None) -> None:
        """Write the slices of the job's own records, all at once: a restart finds them there."""
        self.folder.inner(_ORDERS).make()
        if self.folder.exists("prepared"):
            return
        sizes = feed_sizes(job)
        size = size or slice_size(job)
        slices = math.ceil(max(sizes, default=0) / size)
        started = time.time() - slices * _APART  # readers take files by their time
        for number in range(slices):
            order = {"slice": number, "size": size}
            self._order(f"slice-{number:09d}", order, started + number * _APART)
        if sizes and len(sizes) == len(job.sources):
            self._order("z-end", {"end": True}, started + slices * _APART)  # nothing else can come
        self.folder.write("prepared", b"")

    def end(self) -> bool:
        """Say that the input has ended. False where that was said before."""
        if self.folder.exists(f"{_ORDERS}/z-end.json"):
            return False
        self._order("z-end", {"end": True})
        return True

    @property
    def ended(self) -> bool:
        """Whether the end of input was said."""
        return self.folder.exists(f"{_ORDERS}/z-end.json")

    def tick(self, number: int) -> None:
        """Wake vertices whose timers of processing time are due."""
        self._order(f"tick-{number:015d}", {"tick": number})

    def _order(self, name: str, order: dict[str, Any], modified: float | None = None) -> None:
        self.folder.write(f"{_ORDERS}/{name}.json", (json.dumps(order) + "\n").encode(), modified=modified)

    @property
    def orders(self) -> str:
        """The folder that the query reads."""
        return str(self.folder.path / _ORDERS)
