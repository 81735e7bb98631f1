"""Keys whose Spark hash falls into a wanted partition: subtask i of every vertex with state runs in partition i."""

from __future__ import annotations

from itertools import count

__all__ = ["slot_keys", "spark_hash"]

_SEED = 42
_MASK = 0xFFFFFFFF


def slot_keys(partitions: int) -> tuple[int, ...]:
    """For each partition the least whole number that Spark puts there."""
    found: dict[int, int] = {}
    for number in count():
        found.setdefault(spark_hash(number) % partitions, number)
        if len(found) == partitions:
            return tuple(found[partition] for partition in range(partitions))
    raise AssertionError("unreachable")


def spark_hash(number: int) -> int:
    """Spark's hash of one int column: Murmur3 with the seed 42, as a signed number."""
    block = _rotated((number & _MASK) * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK
    mixed = (_rotated(_SEED ^ block, 13) * 5 + 0xE6546B64) & _MASK
    mixed ^= 4
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = (mixed ^ (mixed >> shift)) * factor & _MASK
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & _MASK
