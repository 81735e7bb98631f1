"""Failures that pass: the cluster lost something, the batch is whole, and the query can be started again at once.

A failure of the job itself is not among them: what happens then is for the job's restart strategy to say.
"""

from __future__ import annotations

from spark_runner.executor.failures import found_in

__all__ = ["TRIES", "passes"]

TRIES = 20  # in a row, without a batch between them
_MARKS = (
    "Python worker failed to connect back",  # a machine too busy to start Python within Spark's ten seconds
    "ExecutorLostFailure",
    "FetchFailed",
    "MetadataFetchFailedException",
    "shuffle map stage with indeterminate output",
    "BlockNotFoundException",
    "Could not find block",
    "Failed to get broadcast",
    "Remote RPC client disassociated",
    "Cannot find endpoint",
)


def passes(error: BaseException) -> bool:
    """Whether a query that ended so can be started again as it is."""
    text = str(error)
    return found_in(text) is None and any(mark in text for mark in _MARKS)
