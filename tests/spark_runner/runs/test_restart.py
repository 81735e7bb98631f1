"""Restart strategies, by the delays they give after failures at given times."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner import StreamExecutionEnvironment
from planner.errors import JobDefinitionError
from planner.frontends.loading import load_job
from planner.job import RestartStrategy
from planner.settings.flink_options import restart_of
from planner.settings.restart import restart_strategy
from spark_runner.clusters.request import RunRequest
from spark_runner.runs.preparation import prepare_job
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


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, None),
        ({"restart-strategy.type": "off"}, RestartStrategy()),
        (
            {
                "restart-strategy.type": "fixed-delay",
                "restart-strategy.fixed-delay.attempts": "3",
                "restart-strategy.fixed-delay.delay": "2 s",
            },
            RestartStrategy(type="fixed-delay", attempts=3, delay=2000),
        ),
        ({"restart-strategy": "failureRate"}, restart_strategy("failure-rate")),
        (
            {
                "restart-strategy.type": "exponential-delay",
                "restart-strategy.exponential-delay.backoff-multiplier": 2.5,
                "restart-strategy.fixed-delay.attempts": 7,
            },
            restart_strategy("exponential-delay", {"multiplier": 2.5}),
        ),
    ],
)
def test_flinks_own_options_choose_a_strategy(
    options: dict[str, object], expected: RestartStrategy | None, tmp_path: Path
) -> None:
    """In a job of our own API, and in the Configuration of a PyFlink script."""
    ours = StreamExecutionEnvironment().configure(options)
    ours.from_collection([1]).print()
    assert restart_of(ours.build()) == expected
    script = tmp_path / "script.py"
    script.write_text(
        "from pyflink.common import Configuration\n"
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        f"config = Configuration()\nfor key, value in {options!r}.items():\n    config.set_string(key, str(value))\n"
        "env = StreamExecutionEnvironment.get_execution_environment(config)\n"
        "env.from_collection([1]).print()\nenv.execute()\n"
    )
    job = load_job(str(script))
    assert restart_of(job) == expected
    prepared = prepare_job(job, RunRequest(job=str(script), folder=str(tmp_path), master="local[1]"))
    assert prepared.strategy == (expected or RestartStrategy())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"restart-strategy.type": "sometimes"}, "is 'sometimes'"),
        ({"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": "x"}, "attempts` cannot be"),
        ({"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "2 weeks"}, "unknown unit"),
    ],
)
def test_options_that_cannot_be_read_are_refused(options: dict[str, object], message: str) -> None:
    env = StreamExecutionEnvironment().configure(options)
    env.from_collection([1]).print()
    with pytest.raises(JobDefinitionError, match=message):
        restart_of(env.build())


def test_the_job_comes_first_then_the_project_then_none() -> None:
    job, project = RestartStrategy(type="none"), RestartStrategy(type="fixed-delay", attempts=1)
    assert effective_strategy(job, project) is job
    assert effective_strategy(None, project) is project
    assert effective_strategy(None, None).type == "none"
