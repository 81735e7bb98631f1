"""`pyflink.datastream.connectors.number_seq` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.declared.datastream.connectors.base import Source

__all__ = [
    "NumberSequenceSource",
]


class NumberSequenceSource(Source):
    def __init__(self, start: Any, end: Any) -> None: ...
