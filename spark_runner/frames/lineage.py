"""Long rows of native operators, computed in parts: Spark's planner needs more than linear time for one plan.

Every DataFrame call looks at the whole plan that led to it, the optimizer walks it many times, and tasks carry all of
it. A few hundred SQL operators in a row were slow or exceeded Spark's stack, and 2,000 did not end. So after
`LONGEST_PLAN` operators the frame is computed and stored, and what comes after starts from its rows. If an executor is
lost with stored rows, the run fails, and the job's restart strategy decides.
"""

from __future__ import annotations

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession

from spark_runner.clusters.connect import is_connect
from spark_runner.program.program import Inlet, Operation, Pass

__all__ = ["Lineage"]

LONGEST_PLAN = 50  # operators


class Lineage:
    """How many operators led to each frame since the last cut. Passes must be asked for in order."""

    def __init__(self, spark: SparkSession) -> None:
        self._can_cut = not is_connect(spark)  # there the counts of what is cut off do not reach the client
        self._outlets: dict[tuple[int, int], int] = {}  # by pass and outlet
        self._operations: dict[int | None, int] = {}  # of the current pass

    def begin(self, one: Pass) -> None:
        """Start a pass: it goes on from its inlets."""
        self._operations = {None: max((self._length_upstream(inlet) for inlet in one.inlets), default=0) + 1}

    def add(self, at: int, operation: Operation, frame: DataFrame) -> DataFrame:
        """Count one native operator, and cut after it where the plan has become long."""
        length = self._operations.get(operation.parent, self._operations[None]) + 1
        if length > LONGEST_PLAN and self._can_cut:
            frame, length = frame.localCheckpoint(eager=True, storageLevel=StorageLevel.MEMORY_AND_DISK), 0
        self._operations[at] = length
        return frame

    def end(self, number: int, one: Pass) -> None:
        """Note how long the plans of a pass's outlets are."""
        for at, outlet in enumerate(one.outlets):
            self._outlets[number, at] = self._operations.get(outlet.operation, self._operations[None])

    def _length_upstream(self, inlet: Inlet) -> int:
        return self._outlets[inlet.source, inlet.outlet]
