"""Whether batch mode may choose the parallelism of a `sink_to`.

Before 1.19 Flink set the job's parallelism on the writer and the committer while it expanded the sink, and so took them
for operators whose parallelism the user had set. Since then it decides at run time, as for all others.
"""

from __future__ import annotations

from planner.flink.difference import Difference

DIFFERENCE: Difference[bool] = Difference(
    field="sink_parallelism_is_set",
    summary="batch mode decides the parallelism of sinks (sink_to) at run time instead of taking the job's",
    since=(("1.18", True), ("1.19", False)),
)
