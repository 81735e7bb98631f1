"""How many network buffers an exchange takes: the fewest with which Flink starts it, and what it wants to run well.

A task manager starts when it can give every result partition and every input gate on it the fewest. A job that gets no
more than that runs, but slowly: buffers that it wants beyond them are shared out as long as there are some.
"""

from __future__ import annotations

from planner.flink.defaults import BUFFERS_PER_CHANNEL, FLOATING_BUFFERS_PER_GATE
from planner.records import record

__all__ = ["NETWORK_MEMORY_OPTIONS", "Buffers", "NetworkBuffers"]

SORT_SHUFFLE_BUFFERS = 512  # taskmanager.network.sort-shuffle.min-buffers: what a blocking partition takes
NETWORK_MEMORY_OPTIONS = ("taskmanager.memory.network.min", "taskmanager.memory.network.max")  # set both to one value


@record(kw_only=False)
class Buffers:
    """The fewest with which something starts, and what it wants."""

    fewest: int = 0
    wanted: int = 0

    def __add__(self, other: Buffers) -> Buffers:
        return Buffers(self.fewest + other.fewest, self.wanted + other.wanted)

    def __mul__(self, times: int) -> Buffers:
        return Buffers(self.fewest * times, self.wanted * times)


@record
class NetworkBuffers:
    """Flink's rules, with the two numbers that could be set until 1.20."""

    per_channel: int = BUFFERS_PER_CHANNEL
    floating: int = FLOATING_BUFFERS_PER_GATE

    def gate(self, channels: int, remote: int) -> Buffers:
        """An input gate: only channels from other task managers have buffers of their own."""
        return Buffers(1 + self.per_channel * remote, self.per_channel * channels + self.floating)

    def partition(self, subpartitions: int, *, blocking: bool) -> Buffers:
        """A result partition."""
        if blocking:
            return Buffers(SORT_SHUFFLE_BUFFERS, SORT_SHUFFLE_BUFFERS)
        return Buffers(subpartitions + 1, self.per_channel * subpartitions + self.floating)
