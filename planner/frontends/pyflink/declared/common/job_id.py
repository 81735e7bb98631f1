"""`pyflink.common.job_id` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "JobID",
]


class JobID(Recorded):
    def __init__(self) -> None: ...
