"""All versions of Flink: `flink("1.20")` is the profile of one."""

from __future__ import annotations

from functools import cache
from typing import Any

from planner.flink.difference import Difference
from planner.flink.differences import (
    batch_sources,
    collect_sink_uid,
    empty_labels,
    kafka_connector,
    load_balance,
    restart_defaults,
    savepoint_format,
    sink_co_location,
    sink_parallelism,
    two_input_chaining,
)
from planner.flink.profile import FlinkProfile
from planner.flink.versions import NEWEST, read_version

__all__ = ["DIFFERENCES", "flink"]

# What changes a plan first, then what changes how it runs.
DIFFERENCES: tuple[Difference[Any], ...] = (
    two_input_chaining.DIFFERENCE,
    sink_parallelism.DIFFERENCE,
    sink_co_location.DIFFERENCE,
    empty_labels.DIFFERENCE,
    batch_sources.DIFFERENCE,
    collect_sink_uid.DIFFERENCE,
    kafka_connector.DIFFERENCE,
    load_balance.DIFFERENCE,
    restart_defaults.DIFFERENCE,
    savepoint_format.DIFFERENCE,
)


def flink(version: str | FlinkProfile | None = None) -> FlinkProfile:
    """The profile of a version (`1.20`, or a release such as `1.20.3`); None is the newest."""
    if isinstance(version, FlinkProfile):
        return version
    return _profile(NEWEST if version is None else read_version(version))


@cache
def _profile(version: str) -> FlinkProfile:
    return FlinkProfile(version=version, **{known.field: known.at(version) for known in DIFFERENCES})
