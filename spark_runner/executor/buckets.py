"""Which keys share one entry of Spark's state store. Runs on workers, standard library only.

Every entry that is read or written is a message to the JVM, and costs as much as a few hundred keys. A subtask begins
with few buckets, and a bucket with many keys is parted in two when it is written: one bit of the keys' hashes more
tells its parts from each other. A bucket's number is those bits with a 1 in front.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

__all__ = ["MOST", "Buckets", "key_hash"]

MOST = 1_000  # keys in one bucket
_FIRST_BITS, _ALL_BITS = 3, 24
T = TypeVar("T")


class Buckets:
    """The buckets of one operator in one subtask."""

    def __init__(self, parted: set[int]) -> None:
        self._parted = parted

    @staticmethod
    def read(written: bytes | None) -> tuple[Buckets, dict[int, Any]]:
        """The buckets and the index that `written` gave, or those of an operator that has none yet."""
        index, parted = ({}, set()) if written is None else pickle.loads(written)
        return Buckets(parted), index

    def written(self, index: dict[int, Any]) -> bytes:
        """The buckets with what the index says about each, for `read`."""
        return pickle.dumps((index, self._parted), protocol=5)

    def of(self, key: bytes) -> int:
        """The bucket of a key."""
        bits, taken = _bits(key), _FIRST_BITS
        while (bucket := _number(bits, taken)) in self._parted:
            taken += 1
        return bucket

    def parted(self, bucket: int, entries: list[T], key: Callable[[T], bytes]) -> Iterator[tuple[int, list[T]]]:
        """The entries of a bucket, in parts where they are too many: the bucket itself is then empty."""
        taken = bucket.bit_length() - 1
        if len(entries) <= MOST or taken == _ALL_BITS:
            yield bucket, entries
            return
        self._parted.add(bucket)
        yield bucket, []
        parts: dict[int, list[T]] = {}
        for entry in entries:
            parts.setdefault(_number(_bits(key(entry)), taken + 1), []).append(entry)
        for part, found in parts.items():
            yield from self.parted(part, found, key)


def key_hash(key: bytes) -> int:
    """32 bits of which each depends on all of the key.

    A checksum alone would not do: those of a few short keys are often equal in the very bits that choose a subtask.
    """
    found = zlib.crc32(key)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        found = ((found ^ (found >> shift)) * factor) & 0xFFFFFFFF
    return found ^ (found >> 16)


def _bits(key: bytes) -> int:
    return key_hash(key) >> 8  # the bits below chose the subtask


def _number(bits: int, taken: int) -> int:
    return (1 << taken) | (bits & ((1 << taken) - 1))
