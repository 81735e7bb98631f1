"""With how many subtasks batch mode starts a source that sets none: with 1, or as many as its data suggests."""

from __future__ import annotations

from planner.flink.difference import Difference

DIFFERENCE: Difference[int | None] = Difference(
    field="batch_source_parallelism",
    summary="batch mode chooses the parallelism of sources from their data instead of starting one subtask",
    since=(("1.18", 1), ("1.19", None)),
)
