"""The newest format of a savepoint's `_metadata` file that Flink reads.

Each version reads the older formats, and refuses a newer one: "Unrecognized checkpoint version number". So a job may
not go back to an older Flink with a savepoint of a newer one.
"""

from __future__ import annotations

from planner.flink.difference import Difference

DIFFERENCE: Difference[int] = Difference(
    field="newest_savepoint_format",
    summary="savepoints are written in a newer format, which older versions of Flink do not read",
    since=(("1.18", 4), ("2.0", 5), ("2.1", 6)),
)
