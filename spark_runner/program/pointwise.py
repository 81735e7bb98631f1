"""Who reads from whom where a range of producers feeds each consumer: (consumer, first producer, last producer)."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["consumers_of_producers", "producers_of_consumers"]

Ranges = Iterable[tuple[int, int, int]]


def producers_of_consumers(ranges: Ranges, consumers: int) -> tuple[tuple[int, int], ...]:
    """The first and the last producer of each consumer; () where everybody reads from everybody."""
    found: dict[int, tuple[int, int]] = {}
    for consumer, first, last in ranges:
        before = found.get(consumer, (first, last))
        found[consumer] = (min(before[0], first), max(before[1], last))
    return tuple(found[consumer] for consumer in range(consumers)) if found else ()


def consumers_of_producers(ranges: Ranges, producers: int) -> tuple[tuple[int, int], ...]:
    """The first and the last consumer of each producer; () where everybody reads from everybody."""
    found: dict[int, list[int]] = {}
    for consumer, first, last in ranges:
        for producer in range(first, last + 1):
            found.setdefault(producer, []).append(consumer)
    return tuple((min(found[one]), max(found[one])) for one in range(producers)) if found else ()
