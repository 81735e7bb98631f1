"""`pyflink.datastream.connectors.hybrid_source` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any, Self

from planner.frontends.pyflink.declared.datastream.connectors.base import Source
from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "HybridSource",
    "HybridSourceBuilder",
]


class HybridSource(Source):
    def __init__(self) -> None: ...
    @staticmethod
    def builder(first_source: Any) -> HybridSourceBuilder: ...


class HybridSourceBuilder(Recorded):
    def __init__(self) -> None: ...
    def add_source(self, source: Any) -> Self: ...
    def build(self) -> HybridSource: ...
