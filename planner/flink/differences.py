"""Where Flink's versions differ, and the profile of each version: `flink("1.20")`.

A difference is one entry here: a field of FlinkProfile, with its value from each version on.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Generic, TypeVar

from planner.flink.defaults import EXPONENTIAL_DELAY_MAX, EXPONENTIAL_DELAY_MULTIPLIER, RESTART_DELAY
from planner.flink.profile import FlinkProfile, LoadBalanceMode, RestartDefaults, TwoInputStrategy
from planner.flink.versions import NEWEST, is_before, read_version
from planner.records import record

__all__ = ["DIFFERENCES", "Difference", "flink"]

Value = TypeVar("Value")


@record
class Difference(Generic[Value]):
    """One field of FlinkProfile: `since` has the first version of each value, oldest first."""

    field: str
    summary: str  # one sentence for people who upgrade
    since: tuple[tuple[str, Value], ...]

    def at(self, version: str) -> Value:
        """The value in one version."""
        value = self.since[0][1]
        for first, following in self.since[1:]:
            if not is_before(version, first):
                value = following
        return value


# Whether an operator with two inputs starts a chain of its own.
#
# `co_map`, `co_flat_map` and `co_process`, keyed or not, that say nothing of chaining had the strategy HEAD before
# Flink 2.0 and have ALWAYS since. Two inputs are an obstacle of their own, so no edge chains or breaks by it.
TWO_INPUT_CHAINING: Difference[TwoInputStrategy] = Difference(
    field="two_input_strategy",
    summary="operators with two inputs have the chaining strategy ALWAYS, not HEAD, where the job sets none",
    since=(("1.18", "HEAD"), ("2.0", "ALWAYS")),
)

# Whether batch mode may choose the parallelism of a `sink_to`.
#
# Before 1.19 Flink set the job's parallelism on the writer and the committer while it expanded the sink, and so took
# them for operators whose parallelism the user had set. Since then it decides at run time, as for all others.
SINK_PARALLELISM: Difference[bool] = Difference(
    field="sink_parallelism_is_set",
    summary="batch mode decides the parallelism of sinks (sink_to) at run time instead of taking the job's",
    since=(("1.18", True), ("1.19", False)),
)

# Whether the writer and the committer of a `sink_to` get the sink's co-location group. Before 1.19 they did not.
SINK_CO_LOCATION: Difference[bool] = Difference(
    field="sink_parts_co_locate",
    summary="the co-location group of a sink (sink_to) counts: before, its writer and committer had none",
    since=(("1.18", False), ("1.19", True)),
)

# Whether the name or the uid of an operator may be an empty text.
#
# Since 2.0 Flink refuses both where they are set. Sources and sinks may still be called "": Flink puts words of its own
# in front of their names.
EMPTY_LABELS: Difference[bool] = Difference(
    field="empty_labels",
    summary="an operator's uid must not be empty, and neither must its name (sources and sinks may have no name)",
    since=(("1.18", True), ("2.0", False)),
)

# With how many subtasks batch mode starts a source that sets none: with 1, or as many as its data suggests.
BATCH_SOURCES: Difference[int | None] = Difference(
    field="batch_source_parallelism",
    summary="batch mode chooses the parallelism of sources from their data instead of starting one subtask",
    since=(("1.18", 1), ("1.19", None)),
)

# The values that `taskmanager.load-balance.mode` takes; before 1.19 a flag of another name said none or slots.
LOAD_BALANCE: Difference[tuple[LoadBalanceMode, ...]] = Difference(
    field="load_balance_modes",
    summary="more ways to share subtasks out over task managers (taskmanager.load-balance.mode)",
    since=(
        ("1.18", ("none", "slots")),
        ("2.1", ("none", "slots", "min-resources")),
        ("2.2", ("none", "slots", "min-resources", "tasks")),
    ),
)

# Whether the sink of PyFlink's execute_and_collect has a uid of its own (`dataStreamCollect_ID`).
COLLECT_SINK_UID: Difference[bool] = Difference(
    field="collect_sink_has_uid",
    summary="the sink of execute_and_collect has a uid of its own, so its operator id changes",
    since=(("1.18", False), ("2.0", True)),
)

# How Flink calls the operator that gives a table's rows to `to_data_stream`: 1.x has a letter less.
TABLE_ROWS: Difference[str] = Difference(
    field="table_rows_name",
    summary="the operator of to_data_stream and to_changelog_stream is TableToDataStream, in 1.x TableToDataSteam",
    since=(("1.18", "TableToDataSteam"), ("2.0", "TableToDataStream")),
)

# The major version of the Kafka connector that a PyFlink script gets. KafkaSink of connector 4 takes one more
# transformation id, and keeps writer and committer of exactly-once sinks in the same slots. Its tables name
# their source.
KAFKA_CONNECTOR: Difference[int] = Difference(
    field="kafka_connector",
    summary="KafkaSink is that of connector 4: exactly-once writers and committers share slots",
    since=(("1.18", 3), ("2.0", 4)),
)

_MINUTE = 60_000

# How long a restart strategy waits where the job does not say.
RESTART_DEFAULTS: Difference[RestartDefaults] = Difference(
    field="restart_defaults",
    summary="restart strategies without a delay of their own wait for another time",
    since=(
        ("1.18", RestartDefaults(fixed_delay=0, exponential_multiplier=2.0, exponential_longest=5 * _MINUTE)),
        ("1.19", RestartDefaults(fixed_delay=0, exponential_multiplier=1.5, exponential_longest=_MINUTE)),
        (
            "1.20",
            RestartDefaults(
                fixed_delay=RESTART_DELAY,
                exponential_multiplier=EXPONENTIAL_DELAY_MULTIPLIER,
                exponential_longest=EXPONENTIAL_DELAY_MAX,
            ),
        ),
    ),
)

# The newest format of a savepoint's `_metadata` file that Flink reads.
#
# Each version reads the older formats, and refuses a newer one: "Unrecognized checkpoint version number". So a job may
# not go back to an older Flink with a savepoint of a newer one.
SAVEPOINT_FORMAT: Difference[int] = Difference(
    field="newest_savepoint_format",
    summary="savepoints are written in a newer format, which older versions of Flink do not read",
    since=(("1.18", 4), ("2.0", 5), ("2.1", 6)),
)

# What changes a plan first, then what changes how it runs.
DIFFERENCES: tuple[Difference[Any], ...] = (
    TWO_INPUT_CHAINING,
    SINK_PARALLELISM,
    SINK_CO_LOCATION,
    EMPTY_LABELS,
    BATCH_SOURCES,
    COLLECT_SINK_UID,
    TABLE_ROWS,
    KAFKA_CONNECTOR,
    LOAD_BALANCE,
    RESTART_DEFAULTS,
    SAVEPOINT_FORMAT,
)


def flink(version: str | FlinkProfile | None = None) -> FlinkProfile:
    """The profile of a version (`1.20`, or a release such as `1.20.3`); None is the newest."""
    if isinstance(version, FlinkProfile):
        return version
    return _profile(NEWEST if version is None else read_version(version))


@cache
def _profile(version: str) -> FlinkProfile:
    return FlinkProfile(version=version, **{known.field: known.at(version) for known in DIFFERENCES})
