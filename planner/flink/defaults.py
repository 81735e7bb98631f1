"""Flink's own defaults and limits, each with the option that sets it."""

from __future__ import annotations

from functools import cache
from typing import Final

__all__ = [
    "BUFFERS_PER_CHANNEL",
    "BUFFER_SIZE",
    "BUFFER_TIMEOUT",
    "DEFAULT_SLOTS",
    "EXPONENTIAL_DELAY_MAX",
    "EXPONENTIAL_DELAY_MULTIPLIER",
    "FAILURE_RATE_INTERVAL",
    "FLOATING_BUFFERS_PER_GATE",
    "MAX_INT",
    "MAX_MAX_PARALLELISM",
    "RESTART_ATTEMPTS",
    "RESTART_DELAY",
    "default_max_parallelism",
]

MAX_INT: Final = 2**31 - 1  # Java's Integer.MAX_VALUE, where Flink means "without end"

# The network stack of one task manager.
BUFFERS_PER_CHANNEL: Final = 2  # taskmanager.network.memory.buffers-per-channel
FLOATING_BUFFERS_PER_GATE: Final = 8  # taskmanager.network.memory.floating-buffers-per-gate
BUFFER_SIZE: Final = 32 * 1024  # taskmanager.memory.segment-size, in bytes
BUFFER_TIMEOUT: Final = 100  # execution.buffer-timeout.interval, in milliseconds
DEFAULT_SLOTS: Final = 1  # taskmanager.numberOfTaskSlots

# Restart strategies. Durations are milliseconds.
RESTART_ATTEMPTS: Final = 1  # restart-strategy.fixed-delay.attempts and failure-rate.max-failures-per-interval
RESTART_DELAY: Final = 1_000  # restart-strategy.*.delay, exponential-delay.initial-backoff
EXPONENTIAL_DELAY_MAX: Final = 60_000  # restart-strategy.exponential-delay.max-backoff
EXPONENTIAL_DELAY_MULTIPLIER: Final = 1.5  # restart-strategy.exponential-delay.backoff-multiplier
FAILURE_RATE_INTERVAL: Final = 60_000  # restart-strategy.failure-rate.failure-rate-interval

MAX_MAX_PARALLELISM: Final = 1 << 15  # the upper bound of max parallelism: key groups are counted in 15 bits
_LEAST_DEFAULT_MAX_PARALLELISM: Final = 1 << 7


@cache
def default_max_parallelism(parallelism: int) -> int:
    """Flink's choice where no max parallelism is set.

    The next power of two from one and a half times the parallelism on, at least 128 and at most 32768.
    """
    wanted = parallelism + parallelism // 2
    power = 1 << max(wanted - 1, 0).bit_length()
    return min(max(power, _LEAST_DEFAULT_MAX_PARALLELISM), MAX_MAX_PARALLELISM)
