"""How Python is set while operators work: few garbage collections, and calls as deep as the longest chain.

Runs on workers.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["at_work"]

_GC_THRESHOLDS = (200_000, 20, 100)  # records are many objects and no garbage
_CALLS = 10  # an operator that hands on its records calls the next one, with fewer calls than this between them


@contextmanager
def at_work(operators: int) -> Iterator[None]:
    """While `operators` run in a chain. Workers are reused by other jobs, so all is as before afterwards."""
    thresholds, limit = gc.get_threshold(), sys.getrecursionlimit()
    gc.set_threshold(*_GC_THRESHOLDS)
    sys.setrecursionlimit(limit + _CALLS * operators)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        sys.setrecursionlimit(limit)
