"""Restart strategies: their types, what each type takes, and Flink's defaults for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from planner.flink.defaults import (
    EXPONENTIAL_DELAY_MAX,
    EXPONENTIAL_DELAY_MULTIPLIER,
    FAILURE_RATE_INTERVAL,
    MAX_INT,
    RESTART_ATTEMPTS,
    RESTART_DELAY,
)
from planner.job import RestartStrategy

__all__ = ["RESTART_DEFAULTS", "RESTART_TYPES", "RestartType", "meaningless", "restart_strategy"]

RestartType = Literal["none", "fixed-delay", "exponential-delay", "failure-rate"]
RESTART_TYPES: Final[tuple[RestartType, ...]] = get_args(RestartType)

RESTART_DEFAULTS: Final[Mapping[RestartType, Mapping[str, Any]]] = {
    "none": {},
    "fixed-delay": {"attempts": RESTART_ATTEMPTS, "delay": RESTART_DELAY},
    "exponential-delay": {
        "attempts": MAX_INT,
        "delay": RESTART_DELAY,
        "max_delay": EXPONENTIAL_DELAY_MAX,
        "multiplier": EXPONENTIAL_DELAY_MULTIPLIER,
    },
    "failure-rate": {
        "attempts": RESTART_ATTEMPTS,
        "delay": RESTART_DELAY,
        "failure_interval": FAILURE_RATE_INTERVAL,
    },
}


def restart_strategy(type: RestartType, given: Mapping[str, Any] | None = None) -> RestartStrategy:
    """The strategy of a type, with Flink's defaults for what is not given."""
    return RestartStrategy(type=type, **{**RESTART_DEFAULTS[type], **(given or {})})


def meaningless(type: RestartType, given: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first given key that the type does not take, and what it does take; None where all have a meaning."""
    takes = RESTART_DEFAULTS[type]
    wrong = next((key for key in given if key not in takes), None)
    return None if wrong is None else (wrong, f"it takes: {', '.join(takes) or 'nothing more'}")
