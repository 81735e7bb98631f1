"""`env.get_config()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.frontends.python.declared.settings import ExecutionConfig, ExecutionMode

if TYPE_CHECKING:
    from planner.frontends.python.environment import StreamExecutionEnvironment

__all__ = ["EnvironmentConfig"]


class EnvironmentConfig(ExecutionConfig):
    """The settings of execution, of which two are the environment's own."""

    _watermark_interval = 200  # milliseconds

    def __init__(self, environment: StreamExecutionEnvironment) -> None:
        self._environment = environment

    def get_auto_watermark_interval(self) -> int:
        """Milliseconds between watermarks."""
        given = self.last("set_auto_watermark_interval")
        return int(given.first()) if given is not None else self._watermark_interval

    def set_restart_strategy(self, restart_strategy_configuration: Any) -> EnvironmentConfig:
        """As on the environment."""
        self._environment.set_restart_strategy(restart_strategy_configuration)
        return self

    def get_restart_strategy(self) -> Any:
        """As on the environment."""
        return self._environment.get_restart_strategy()

    def get_execution_mode(self) -> Any:
        """How Flink 1.x exchanged data of DataSet jobs."""
        given = self.last("set_execution_mode")
        return ExecutionMode.PIPELINED if given is None else given.first()

    def set_parallelism(self, parallelism: int) -> EnvironmentConfig:
        """As on the environment."""
        self._environment.set_parallelism(parallelism)
        return self

    def get_parallelism(self) -> int:
        """As on the environment."""
        return self._environment.get_parallelism()

    def set_max_parallelism(self, max_parallelism: int) -> EnvironmentConfig:
        """As on the environment."""
        self._environment.set_max_parallelism(max_parallelism)
        return self

    def get_max_parallelism(self) -> int:
        """As on the environment."""
        return self._environment.get_max_parallelism()
