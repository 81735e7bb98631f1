"""`pyflink.common.restart_strategy` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "RestartStrategies",
    "RestartStrategyConfiguration",
]


class RestartStrategyConfiguration(Recorded):
    def __init__(self) -> None: ...
    def get_description(self) -> str: ...


class RestartStrategies(Recorded):
    class NoRestartStrategyConfiguration(RestartStrategyConfiguration):
        def __init__(self) -> None: ...

    class FixedDelayRestartStrategyConfiguration(RestartStrategyConfiguration):
        def __init__(self, restart_attempts: Any = None, delay_between_attempts_interval: Any = None) -> None: ...
        def get_restart_attempts(self) -> int: ...
        def get_delay_between_attempts_interval(self) -> Any: ...

    class FailureRateRestartStrategyConfiguration(RestartStrategyConfiguration):
        def __init__(
            self,
            max_failure_rate: Any = None,
            failure_interval: Any = None,
            delay_between_attempts_interval: Any = None,
        ) -> None: ...
        def get_max_failure_rate(self) -> int: ...
        def get_failure_interval(self) -> Any: ...
        def get_delay_between_attempts_interval(self) -> Any: ...

    class FallbackRestartStrategyConfiguration(RestartStrategyConfiguration):
        def __init__(self) -> None: ...

    @staticmethod
    def no_restart() -> RestartStrategies.NoRestartStrategyConfiguration: ...
    @staticmethod
    def fall_back_restart() -> RestartStrategies.FallbackRestartStrategyConfiguration: ...
    @staticmethod
    def fixed_delay_restart(
        restart_attempts: Any, delay_between_attempts: Any
    ) -> RestartStrategies.FixedDelayRestartStrategyConfiguration: ...
    @staticmethod
    def failure_rate_restart(
        failure_rate: Any, failure_interval: Any, delay_interval: Any
    ) -> RestartStrategies.FailureRateRestartStrategyConfiguration: ...
