"""`pyflink.common.job_client` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.declared.common.completable_future import CompletableFuture
from planner.frontends.pyflink.declared.common.job_id import JobID
from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "JobClient",
]


class JobClient(Recorded):
    def __init__(self) -> None: ...
    def get_job_id(self) -> JobID: ...
    def get_job_status(self) -> CompletableFuture: ...
    def cancel(self) -> CompletableFuture: ...
    def stop_with_savepoint(
        self, advance_to_end_of_event_time: Any, savepoint_directory: Any = None
    ) -> CompletableFuture: ...
    def trigger_savepoint(self, savepoint_directory: Any = None) -> CompletableFuture: ...
    def get_accumulators(self) -> CompletableFuture: ...
    def get_job_execution_result(self) -> CompletableFuture: ...
