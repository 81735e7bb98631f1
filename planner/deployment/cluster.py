"""The cluster a job is deployed on, with every number known."""

from __future__ import annotations

from typing import Any

from planner.flink.defaults import BUFFER_SIZE, BUFFERS_PER_CHANNEL, DEFAULT_SLOTS, FLOATING_BUFFERS_PER_GATE
from planner.records import record
from planner.settings.pyproject import ClusterSettings

__all__ = ["Cluster", "resolve_cluster"]


@record
class Cluster:
    """Equal task managers, and what their network stack is configured with."""

    task_managers: int
    slots: int  # of each task manager
    as_needed: bool = False  # the number of task managers was not given: as many as the job requires
    network_memory: int | None = None  # bytes, of each task manager; None: not known
    buffers_per_channel: int = BUFFERS_PER_CHANNEL
    floating_buffers_per_gate: int = FLOATING_BUFFERS_PER_GATE
    buffer_size: int = BUFFER_SIZE  # bytes

    @property
    def total_slots(self) -> int:
        """The slots of all task managers."""
        return self.task_managers * self.slots

    @property
    def network_buffers(self) -> int | None:
        """The network buffers of one task manager; None where its network memory is not known."""
        return None if self.network_memory is None else self.network_memory // self.buffer_size

    def to_dict(self) -> dict[str, Any]:
        """The cluster as JSON-ready data."""
        return {
            "task_managers": self.task_managers,
            "slots": self.slots,
            "as_needed": self.as_needed,
            "total_slots": self.total_slots,
            "network_memory": self.network_memory,
        }


def resolve_cluster(
    settings: ClusterSettings, *, task_managers: int | None = None, slots: int | None = None, required: int = 1
) -> Cluster | None:
    """The cluster of the options, else of the settings; None where neither says anything of its size.

    With slots alone there are as many task managers as `required` slots need, as a resource manager would start them.
    """
    task_managers = settings.task_managers if task_managers is None else task_managers
    slots = settings.slots if slots is None else slots
    if task_managers is None and slots is None:
        return None
    each = DEFAULT_SLOTS if slots is None else slots
    return Cluster(
        task_managers=max(-(-required // each), 1) if task_managers is None else task_managers,
        slots=each,
        as_needed=task_managers is None,
        network_memory=settings.network_memory,
        buffers_per_channel=settings.buffers_per_channel,
        floating_buffers_per_gate=settings.floating_buffers_per_gate,
        buffer_size=settings.buffer_size,
    )
