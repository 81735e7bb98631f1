"""Whether the name or the uid of an operator may be an empty text.

Since 2.0 Flink refuses both where they are set. Sources and sinks may still be called "": Flink puts words of its own
in front of their names.
"""

from __future__ import annotations

from planner.flink.difference import Difference

DIFFERENCE: Difference[bool] = Difference(
    field="empty_labels",
    summary="an operator's uid must not be empty, and neither must its name (sources and sinks may have no name)",
    since=(("1.18", True), ("2.0", False)),
)
