"""`pyflink.datastream.execution_mode` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from enum import Enum

__all__ = [
    "RuntimeExecutionMode",
]


class RuntimeExecutionMode(Enum):
    STREAMING = 0
    BATCH = 1
    AUTOMATIC = 2
