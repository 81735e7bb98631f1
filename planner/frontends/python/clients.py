"""What `execute_async` returns while a script is only loaded."""

from __future__ import annotations

from typing import Any

from planner.frontends.python.declared.settings import CompletableFuture, JobClient, JobID, JobStatus
from planner.frontends.python.results import JobExecutionResult

__all__ = ["LoadedClient"]


class _Done(CompletableFuture):
    """A future with its answer."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def done(self) -> bool:
        """Yes."""
        return True

    def result(self) -> Any:
        """The answer."""
        return self._answer

    def exception(self) -> None:
        """None."""
        return


class LoadedClient(JobClient):
    """A client of a job that did not run."""

    def __init__(self) -> None:
        pass

    def get_job_id(self) -> JobID:
        """An id like any other."""
        return JobID()

    def get_job_status(self) -> Any:
        """Finished."""
        return _Done(JobStatus.FINISHED)

    def get_job_execution_result(self) -> Any:
        """The result of a job that did not run."""
        return _Done(JobExecutionResult())

    def get_accumulators(self) -> Any:
        """Nothing was counted."""
        return _Done({})

    def cancel(self) -> Any:
        """Nothing to do."""
        return _Done(None)
