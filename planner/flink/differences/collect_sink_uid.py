"""Whether the sink of PyFlink's execute_and_collect has a uid of its own.

Since 2.0 it is `dataStreamCollect_ID`, so that its operator id comes from that text.
"""

from __future__ import annotations

from planner.flink.difference import Difference

DIFFERENCE: Difference[bool] = Difference(
    field="collect_sink_has_uid",
    summary="the sink of execute_and_collect has a uid of its own, so its operator id changes",
    since=(("1.18", False), ("2.0", True)),
)
