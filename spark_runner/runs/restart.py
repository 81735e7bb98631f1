"""When a failed run starts again: Flink's restart strategies, counted over one run.

The job's own strategy comes first, then the project's (`[tool.plan.restart_strategy]`), then none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from planner.job import RestartStrategy

__all__ = ["RestartPolicy", "effective_strategy"]

_FIRST_DELAY, _MAX_DELAY, _GROWTH = 1_000, 60_000, 1.5  # Flink's defaults for exponential delay, in milliseconds
_FAILURES, _INTERVAL = 1, 60_000  # and for the failure rate


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
        first = self.strategy.delay or _FIRST_DELAY
        steps = min(len(self.failures) - 1, 100)  # more would overflow, and are beyond any largest delay
        return int(min(first * _GROWTH**steps, self.strategy.max_delay or _MAX_DELAY))

    def _failure_rate(self) -> int | None:
        """Gives up at more failures within the interval than are allowed."""
        interval = (self.strategy.failure_interval or _INTERVAL) / 1000
        recent = sum(1 for at in self.failures if self.failures[-1] - at < interval)
        return self.strategy.delay if recent <= (self.strategy.attempts or _FAILURES) else None


_DELAYS: dict[
    Literal["none", "fixed-delay", "exponential-delay", "failure-rate"], Callable[[RestartPolicy], int | None]
] = {
    "none": RestartPolicy._none,
    "fixed-delay": RestartPolicy._fixed,
    "exponential-delay": RestartPolicy._exponential,
    "failure-rate": RestartPolicy._failure_rate,
}
