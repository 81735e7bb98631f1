"""FlinkProfile: everything in which one version of Flink differs from another, as plain values."""

from __future__ import annotations

from typing import Literal

from planner.records import record

__all__ = ["FlinkProfile", "LoadBalanceMode", "RestartDefaults", "TwoInputStrategy"]

TwoInputStrategy = Literal["HEAD", "ALWAYS"]
LoadBalanceMode = Literal["none", "slots", "min-resources", "tasks"]


@record
class RestartDefaults:
    """What a restart strategy does where the user leaves a value out."""

    fixed_delay: int  # milliseconds
    exponential_multiplier: float
    exponential_longest: int  # milliseconds


@record
class FlinkProfile:
    """One version of Flink. Every field but the first is one entry of `differences.py`."""

    version: str
    two_input_strategy: TwoInputStrategy
    sink_parallelism_is_set: bool
    sink_parts_co_locate: bool
    empty_labels: bool
    collect_sink_has_uid: bool
    table_rows_name: str
    kafka_connector: int
    load_balance_modes: tuple[LoadBalanceMode, ...]
    restart_defaults: RestartDefaults
    batch_source_parallelism: int | None
    newest_savepoint_format: int
