"""`pyflink.common.completable_future` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "CompletableFuture",
]


class CompletableFuture(Recorded):
    def __init__(self, py_class: Any = None) -> None: ...
    def cancel(self) -> bool: ...
    def cancelled(self) -> bool: ...
    def done(self) -> bool: ...
    def result(self) -> Any: ...
    def exception(self) -> Any: ...
