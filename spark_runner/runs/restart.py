"""When a failed run starts again: Flink's restart strategies, counted over one run.

The job's own strategy comes first, then the project's (`[tool.plan.restart_strategy]`), then none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from planner.flink.defaults import (
    EXPONENTIAL_DELAY_MAX,
    FAILURE_RATE_INTERVAL,
    RESTART_ATTEMPTS,
    RESTART_DELAY,
)
from planner.job import RestartStrategy
from planner.settings.restart import RestartType

__all__ = ["RestartPolicy", "effective_strategy"]


def effective_strategy(job: RestartStrategy | None, project: RestartStrategy | None) -> RestartStrategy:
    """The strategy that counts for a run."""
    return job or project or RestartStrategy()


@dataclass(slots=True, kw_only=True)
class RestartPolicy:
    """A strategy at work: asked after each failure, it gives the delay before the next attempt, or None to give up."""

    strategy: RestartStrategy
    failures: list[float] = field(default_factory=list)  # their times, in seconds

    def delay_after_failure(self, now: float) -> float | None:
        """Seconds to wait before the next attempt; None: the run has failed."""
        self.failures.append(now)
        milliseconds = _DELAYS[self.strategy.type](self)
        return None if milliseconds is None else milliseconds / 1000

    def _none(self) -> int | None:
        return None

    def _fixed(self) -> int | None:
        return self.strategy.delay if len(self.failures) <= self.strategy.attempts else None

    def _exponential(self) -> int | None:
        """Grows with every failure up to the largest delay; without a number of attempts it never gives up."""
        if self.strategy.attempts and len(self.failures) > self.strategy.attempts:
            return None
        first = self.strategy.delay or RESTART_DELAY
        steps = min(len(self.failures) - 1, 100)  # more would overflow, and are beyond any largest delay
        return int(min(first * self.strategy.multiplier**steps, self.strategy.max_delay or EXPONENTIAL_DELAY_MAX))

    def _failure_rate(self) -> int | None:
        """Gives up at more failures within the interval than are allowed."""
        interval = (self.strategy.failure_interval or FAILURE_RATE_INTERVAL) / 1000
        recent = sum(1 for at in self.failures if self.failures[-1] - at < interval)
        return self.strategy.delay if recent <= (self.strategy.attempts or RESTART_ATTEMPTS) else None


_DELAYS: dict[RestartType, Callable[[RestartPolicy], int | None]] = {
    "none": RestartPolicy._none,
    "fixed-delay": RestartPolicy._fixed,
    "exponential-delay": RestartPolicy._exponential,
    "failure-rate": RestartPolicy._failure_rate,
}
