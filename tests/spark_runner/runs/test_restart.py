"""Restart strategies, by the delays they give after failures at given times."""

from __future__ import annotations

import pytest

from planner.job import RestartStrategy
from planner.settings.restart import restart_strategy
from spark_runner.runs.restart import RestartPolicy, effective_strategy


def delays(strategy: RestartStrategy, *failures: float) -> list[float | None]:
    policy = RestartPolicy(strategy=strategy)
    return [policy.delay_after_failure(at) for at in failures]


@pytest.mark.parametrize(
    ("strategy", "failures", "expected"),
    [
        (RestartStrategy(), (0,), [None]),
        (RestartStrategy(type="fixed-delay", attempts=2, delay=500), (0, 1, 2), [0.5, 0.5, None]),
        (RestartStrategy(type="fixed-delay", attempts=0, delay=500), (0,), [None]),
        (RestartStrategy(type="exponential-delay", delay=1000, max_delay=2000), (0, 1, 2, 3), [1.0, 1.5, 2.0, 2.0]),
        (RestartStrategy(type="exponential-delay", delay=1000, attempts=1), (0, 1), [1.0, None]),
        (restart_strategy("exponential-delay", {"multiplier": 3.0}), (0, 1, 2), [1.0, 3.0, 9.0]),
        # Two failures within ten seconds are allowed, a third is not; failures longer ago do not count.
        (
            RestartStrategy(type="failure-rate", attempts=2, failure_interval=10_000, delay=100),
            (0, 1, 2),
            [0.1, 0.1, None],
        ),
        (RestartStrategy(type="failure-rate", attempts=2, failure_interval=10_000), (0, 1, 20, 21), [0, 0, 0, 0]),
    ],
)
def test_delays(strategy: RestartStrategy, failures: tuple[float, ...], expected: list[float | None]) -> None:
    assert delays(strategy, *failures) == expected


def test_exponential_delay_does_not_overflow() -> None:
    strategy = RestartStrategy(type="exponential-delay", delay=1000, max_delay=60_000)
    assert delays(strategy, *range(5000))[-1] == 60.0


def test_the_job_comes_first_then_the_project_then_none() -> None:
    job, project = RestartStrategy(type="none"), RestartStrategy(type="fixed-delay", attempts=1)
    assert effective_strategy(job, project) is job
    assert effective_strategy(None, project) is project
    assert effective_strategy(None, None).type == "none"
