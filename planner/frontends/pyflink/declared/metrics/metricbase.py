"""`pyflink.metrics.metricbase` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = [
    "Counter",
    "Distribution",
    "Meter",
    "Metric",
    "MetricGroup",
]


class MetricGroup(ABC):
    @abstractmethod
    def add_group(self, name: Any, extra: Any = None) -> MetricGroup: ...
    @abstractmethod
    def counter(self, name: Any) -> Counter: ...
    @abstractmethod
    def gauge(self, name: Any, obj: Any) -> Any: ...
    @abstractmethod
    def meter(self, name: Any, time_span_in_seconds: Any = 60) -> Meter: ...
    @abstractmethod
    def distribution(self, name: Any) -> Distribution: ...


class Metric(ABC):
    pass


class Counter(Metric, ABC):
    @abstractmethod
    def inc(self, n: Any = 1) -> Any: ...
    @abstractmethod
    def dec(self, n: Any = 1) -> Any: ...
    @abstractmethod
    def get_count(self) -> int: ...


class Meter(Metric, ABC):
    @abstractmethod
    def mark_event(self, value: Any = 1) -> Any: ...
    @abstractmethod
    def get_count(self) -> int: ...


class Distribution(Metric, ABC):
    @abstractmethod
    def update(self, value: Any) -> Any: ...
