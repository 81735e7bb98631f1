"""The `restart_strategy` of a YAML job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.frontends.yaml.fields import Fields, read_fields
from planner.job import RestartStrategy
from planner.settings.job_format import RESTART_KEYS
from planner.settings.restart import RESTART_TYPES, meaningless, restart_strategy

__all__ = ["read_restart_strategy"]


def read_restart_strategy(job: Fields) -> RestartStrategy:
    """The strategy written in the job's `restart_strategy`."""
    raw: Mapping[str, Any] = job.raw["restart_strategy"]
    fields = read_fields(job.document, raw, RESTART_KEYS, "`restart_strategy`: ")
    if "type" not in fields:
        raise job.error("restart_strategy", "`restart_strategy` has no `type`", f"one of {', '.join(RESTART_TYPES)}")
    chosen = fields.get("type")
    given = {key: value for key, value in fields.values.items() if key != "type"}
    wrong = meaningless(chosen, given)
    if wrong:
        raise fields.error(wrong[0], f"`{wrong[0]}` means nothing for the type {chosen}", wrong[1])
    return restart_strategy(chosen, given)
