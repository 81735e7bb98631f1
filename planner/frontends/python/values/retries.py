"""`pyflink.datastream.async_retry_strategies` and its predicates: when an asynchronous call is tried again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from planner.frontends.python.declared.functions import AsyncRetryPredicate, AsyncRetryStrategy

__all__ = [
    "NO_RETRY_STRATEGY", "AsyncRetryStrategy", "ExponentialBackoffDelayRetryStrategy", "FixedDelayRetryStrategy",
    "NoRetryStrategy", "RetryPredicate", "empty_result_predicate", "exception_type_predicate",
    "has_exception_predicate",
]  # fmt: skip

Predicate = Callable[[Any], bool] | None


def empty_result_predicate(result: list[Any] | None) -> bool:
    """Whether there is no result."""
    return not result


def has_exception_predicate(error: Exception | None) -> bool:
    """Whether the call failed."""
    return error is not None


def exception_type_predicate(error: Exception, expected_error_type: type[Exception]) -> bool:
    """Whether the call failed with one kind of error."""
    return isinstance(error, expected_error_type)


class RetryPredicate(AsyncRetryPredicate):
    """Which results and errors are tried again."""

    def __init__(self, result_predicate: Predicate, exception_predicate: Predicate) -> None:
        self._result_predicate = result_predicate
        self._exception_predicate = exception_predicate

    def result_predicate(self) -> Predicate:
        """The check of a result."""
        return self._result_predicate

    def exception_predicate(self) -> Predicate:
        """The check of an error."""
        return self._exception_predicate


class NoRetryStrategy(AsyncRetryStrategy):
    """Never try again."""

    def can_retry(self, current_attempts: int) -> bool:
        """No."""
        return False

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Not asked."""
        return -1

    def get_retry_predicate(self) -> Any:
        """Nothing is tried again."""
        return RetryPredicate(None, None)


@dataclass
class FixedDelayRetryStrategy(AsyncRetryStrategy):
    """Try again a number of times, with one wait."""

    max_attempts: int
    backoff_time_millis: int
    result_predicate: Predicate
    exception_predicate: Predicate

    def __post_init__(self) -> None:
        _check_positive(self)

    def can_retry(self, current_attempts: int) -> bool:
        """Whether attempts are left."""
        return current_attempts <= self.max_attempts

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """The wait."""
        return self.backoff_time_millis

    def get_retry_predicate(self) -> Any:
        """What is tried again."""
        return RetryPredicate(self.result_predicate, self.exception_predicate)


@dataclass
class ExponentialBackoffDelayRetryStrategy(AsyncRetryStrategy):
    """Try again a number of times, waiting longer each time."""

    max_attempts: int
    initial_delay: int
    max_retry_delay: int
    multiplier: float
    result_predicate: Predicate
    exception_predicate: Predicate

    def __post_init__(self) -> None:
        _check_positive(self)

    def can_retry(self, current_attempts: int) -> bool:
        """Whether attempts are left."""
        return current_attempts <= self.max_attempts

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """The wait before this attempt."""
        if current_attempts <= 1:
            return self.initial_delay
        return min(int(self.initial_delay * self.multiplier ** (current_attempts - 1)), self.max_retry_delay)

    def get_retry_predicate(self) -> Any:
        """What is tried again."""
        return RetryPredicate(self.result_predicate, self.exception_predicate)


def _check_positive(strategy: Any) -> None:
    for name, value in vars(strategy).items():
        if not name.endswith("predicate") and value <= 0:
            raise AssertionError(f"{name} should be greater than zero.")


NO_RETRY_STRATEGY: Final = NoRetryStrategy()

# These strategies extend the class that makes them.
AsyncRetryStrategy.no_restart = staticmethod(lambda: NO_RETRY_STRATEGY)  # type: ignore[method-assign]
AsyncRetryStrategy.fixed_delay = staticmethod(FixedDelayRetryStrategy)  # type: ignore[method-assign]
AsyncRetryStrategy.exponential_backoff = staticmethod(  # type: ignore[method-assign]
    ExponentialBackoffDelayRetryStrategy
)
