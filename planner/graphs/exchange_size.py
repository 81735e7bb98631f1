"""How large an exchange is: its gates, its partitions, and the channels between them."""

from __future__ import annotations

from collections import Counter

from planner.flink.network_buffers import Buffers, NetworkBuffers
from planner.graphs.execution_graph import ExecutionEdge

__all__ = ["exchange_buffers", "subpartitions"]


def subpartitions(edge: ExecutionEdge, producers: int) -> list[int]:
    """How many consumers read each partition."""
    if edge.distribution == "ALL_TO_ALL":
        return [len(edge.consumed)] * producers
    readers = [0] * producers
    for _, low, high in edge.consumed:
        for partition in range(low, high + 1):
            readers[partition] += 1
    return readers


def exchange_buffers(
    edge: ExecutionEdge, producers: int, rules: NetworkBuffers, *, blocking: bool, written: bool
) -> tuple[Buffers, Buffers]:
    """What an exchange takes in all: with all of it on one task manager, and with every channel between two.

    `written`: an earlier edge reads the same result, so that its partitions are counted already.
    """
    together = apart = Buffers()
    for channels, gates in Counter(high - low + 1 for _, low, high in edge.consumed).items():
        together += rules.gate(channels, 0) * gates
        apart += rules.gate(channels, channels) * gates
    for readers, partitions in ({} if written else Counter(subpartitions(edge, producers))).items():
        taken = rules.partition(readers, blocking=blocking) * partitions
        together, apart = together + taken, apart + taken
    return together, apart
