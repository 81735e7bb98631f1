"""`pyflink.common.job_execution_result` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.declared.common.job_id import JobID
from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "JobExecutionResult",
]


class JobExecutionResult(Recorded):
    def __init__(self) -> None: ...
    def get_job_id(self) -> JobID: ...
    def get_net_runtime(self) -> int: ...
    def get_accumulator_result(self, accumulator_name: Any) -> Any: ...
    def get_all_accumulator_results(self) -> Any: ...
