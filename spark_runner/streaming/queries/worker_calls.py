"""Functions that Spark takes to workers: nothing but bytes and names, so that everything else is loaded there.

Workers have our code from what was shipped with the session. The session that Connect clones for a stream has it not:
there, workers load it from a zip on the file system that they share with the checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

__all__ = ["slot_processor", "worker_call"]


def worker_call(
    package: str | None, module: str, name: str, *arguments: Any, script: bool = False
) -> Callable[[Any], Any]:
    """Calls a function of ours with these arguments and what Spark gives. It is local, and so pickled by value.

    The functions of a PyFlink script find the stand-in for `pyflink` around them.
    """

    def run(given: Any) -> Any:
        import importlib
        import sys

        if package is not None and package not in sys.path:
            sys.path.insert(0, package)
        results = getattr(importlib.import_module(module), name)(*arguments, given)
        return inside(results) if script else results

    def inside(results: Any) -> Any:
        from planner.frontends.python.stand_in import pyflink_stand_in

        with pyflink_stand_in():
            yield from results

    return run


def slot_processor(package: str | None, payload: bytes, layer: int, *, script: bool = False) -> StatefulProcessor:
    """What keeps a layer's state. A local class, since Spark also loads it where our code is not: see above."""
    calls = worker_call(package, "spark_runner.executor.slots", "take_rows", payload, layer, script=script)

    class Slot(StatefulProcessor):
        """All vertices of a layer in one slot."""

        def init(self, handle: StatefulProcessorHandle) -> None:
            self._state = handle.getMapState("state", "key string", "value binary")

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:
            """Called once for each slot and batch."""
            return calls((rows, self._state))

        def close(self) -> None:
            """Everything was written when the batch's rows were through."""

    return Slot()
