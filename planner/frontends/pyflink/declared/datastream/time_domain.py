"""`pyflink.datastream.time_domain` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from enum import Enum

__all__ = [
    "TimeDomain",
]


class TimeDomain(Enum):
    EVENT_TIME = 0
    PROCESSING_TIME = 1
