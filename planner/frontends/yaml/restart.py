"""The `restart_strategy` of a YAML job, with Flink's defaults for what is not written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner.frontends.yaml.fields import Fields, read_fields
from planner.job import RestartStrategy
from planner.settings.job_format import MAX_INT, RESTART_KEYS, RESTART_TYPES

__all__ = ["RESTART_DEFAULTS", "read_restart_strategy"]

RESTART_DEFAULTS: Final[Mapping[str, Mapping[str, int]]] = {
    "none": {},
    "fixed-delay": {"attempts": 1, "delay": 1_000},
    "exponential-delay": {"attempts": MAX_INT, "delay": 1_000, "max_delay": 60_000},
    "failure-rate": {"attempts": 1, "delay": 1_000, "failure_interval": 60_000},
}


def read_restart_strategy(job: Fields) -> RestartStrategy:
    """The strategy written in the job's `restart_strategy`."""
    raw: Mapping[str, Any] = job.raw["restart_strategy"]
    fields = read_fields(job.document, raw, RESTART_KEYS, "`restart_strategy`: ")
    if "type" not in fields:
        raise job.error("restart_strategy", "`restart_strategy` has no `type`", f"one of {', '.join(RESTART_TYPES)}")
    chosen = fields.get("type")
    defaults = RESTART_DEFAULTS[chosen]
    for key in fields.values:
        if key != "type" and key not in defaults:
            raise fields.error(
                key,
                f"`{key}` means nothing for the type {chosen}",
                f"it takes: {', '.join(defaults) or 'nothing more'}",
            )
    return RestartStrategy(**{**defaults, **fields.values})
