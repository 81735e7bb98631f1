"""`pyflink.datastream.connectors.base` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any

from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "DeliveryGuarantee",
    "Sink",
    "Source",
    "StreamTransformer",
    "SupportsPreprocessing",
]


class Source(Recorded):
    def __init__(self, source: Any) -> None: ...


class Sink(Recorded):
    def __init__(self, sink: Any) -> None: ...


class DeliveryGuarantee(Enum):
    EXACTLY_ONCE = (0,)
    AT_LEAST_ONCE = (1,)
    NONE = 2


class StreamTransformer(ABC):
    @abstractmethod
    def apply(self, ds: Any) -> Any: ...


class SupportsPreprocessing(ABC):
    @abstractmethod
    def get_transformer(self) -> Any: ...
