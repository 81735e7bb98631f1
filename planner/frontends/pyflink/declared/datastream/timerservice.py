"""`pyflink.datastream.timerservice` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = [
    "TimerService",
]


class TimerService(ABC):
    @abstractmethod
    def current_processing_time(self) -> Any: ...
    @abstractmethod
    def current_watermark(self) -> Any: ...
    @abstractmethod
    def register_processing_time_timer(self, timestamp: Any) -> Any: ...
    @abstractmethod
    def register_event_time_timer(self, timestamp: Any) -> Any: ...
    def delete_processing_time_timer(self, timestamp: Any) -> Any: ...
    def delete_event_time_timer(self, timestamp: Any) -> Any: ...
