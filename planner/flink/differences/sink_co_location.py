"""Whether the writer and the committer of a `sink_to` get the sink's co-location group. Before 1.19 they did not."""

from __future__ import annotations

from planner.flink.difference import Difference

DIFFERENCE: Difference[bool] = Difference(
    field="sink_parts_co_locate",
    summary="the co-location group of a sink (sink_to) counts: before, its writer and committer had none",
    since=(("1.18", False), ("1.19", True)),
)
