"""Whether a source's data ends, decided in one place."""

from __future__ import annotations

from typing import Final

from planner.job import Collection, Operator, Reader, Sequence

__all__ = ["UNBOUNDED_FORMATS", "data_ends", "is_bounded"]

# Spark readers whose data never ends by itself.
UNBOUNDED_FORMATS: Final = frozenset(
    {"rate", "rate-micro-batch", "socket", "kafka", "kinesis", "pulsar", "pubsub", "eventhubs"}
)


def is_bounded(format: str | None, *, legacy: bool = False, said: bool | None = None) -> bool:
    """Whether a source ends: what the author `said`, else by its kind and format.

    Flink takes every legacy SourceFunction for endless.
    """
    if said is not None:
        return said
    return not legacy and (format or "").lower() not in UNBOUNDED_FORMATS


def data_ends(source: Operator) -> bool:
    """Whether a run of the source comes to an end, which a legacy source over files does though Flink cannot know."""
    behaviour = source.behaviour
    if isinstance(behaviour, Collection | Sequence):
        return True
    if isinstance(behaviour, Reader) and source.legacy and not source.bounded:
        return is_bounded(behaviour.format)
    return source.bounded
