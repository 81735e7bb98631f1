"""The major version of the Kafka connector that a PyFlink script gets.

KafkaSink of connector 4, for Flink 2, takes one more transformation id than connector 3, and keeps writer and
committer of exactly-once sinks in the same slots.
"""

from __future__ import annotations

from planner.flink.difference import Difference

DIFFERENCE: Difference[int] = Difference(
    field="kafka_connector",
    summary="KafkaSink is that of connector 4: exactly-once writers and committers share slots",
    since=(("1.18", 3), ("2.0", 4)),
)
