"""Where in the input a record comes from: the same in every attempt and in every cut into batches.

Whatever a record causes, in any layer, happens at the record's own position. Readers take what arrives in the order of
positions, so the result is that of taking one input record after the other through the whole job.
"""

from __future__ import annotations

import zlib

__all__ = [
    "END_BASE",
    "FEED_BASE",
    "FIRST_BASE",
    "NO_SPLIT",
    "PARTITIONS",
    "Position",
    "block_base",
    "split_of",
    "subtask_of",
]

FIRST_BASE = ""  # timers of processing time fire before the batch's records
FEED_BASE = "0"  # the job's own records
END_BASE = "~end"  # after every other base

PARTITIONS = 2**20  # more than a topic has
NO_SPLIT = -1  # of watermarks that hold for all that a producer reads


class Position:
    """The base (a file, a feed, a batch of a reader) and the number of the input record within it."""

    __slots__ = ("base", "index", "made")

    def __init__(self) -> None:
        self.base, self.index, self.made = FIRST_BASE, 0, 0

    def move(self, base: str, index: int) -> None:
        """Go on to another input record."""
        self.base, self.index, self.made = base, index, 0


def block_base(first: int, second: int = 0, third: int = 0) -> str:
    """The base of a block of a reader's records: files by time, path and offset."""
    return f"{first:017d}-{second & 0xFFFFFFFFFFFFFFFF:016x}-{third:015d}"


def split_of(topic: str, partition: int) -> int:
    """The number of a Kafka topic's partition among those of all topics; the reader's SQL computes the same."""
    return zlib.crc32(topic.encode()) * PARTITIONS + partition


def subtask_of(split: int, parallelism: int) -> int:
    """The subtask of a source that reads a split: a topic's partitions take turns."""
    return split % PARTITIONS % parallelism
