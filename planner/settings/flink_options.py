"""Flink's own option keys, as given to `configure` or `options`: those that planning knows become fields of the job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner.errors import JobDefinitionError
from planner.job import JobDefinition, Location, RestartStrategy
from planner.settings.durations import parse_duration
from planner.settings.job_format import JOB_KEYS
from planner.settings.restart import RESTART_TYPES, RestartType, restart_strategy
from planner.settings.values import Fault, from_text

__all__ = ["job_arguments", "restart_of"]

# Each option stands for a key of the job, and is checked as that key is.
_JOB_KEY: Final[Mapping[str, str]] = {
    "pipeline.name": "name",
    "parallelism.default": "parallelism",
    "pipeline.max-parallelism": "max_parallelism",
    "execution.runtime-mode": "runtime_mode",
    "pipeline.operator-chaining.enabled": "chaining",
    "pipeline.operator-chaining": "chaining",
    "pipeline.operator-chaining.chain-operators-with-different-max-parallelism": "chain_different_max_parallelism",
    "execution.buffer-timeout.interval": "buffer_timeout",
    "execution.buffer-timeout": "buffer_timeout",
}

_RESTART: Final = "restart-strategy"
_RESTART_TYPES: Final[Mapping[str, RestartType]] = {
    **{spelling: kind for kind in RESTART_TYPES for spelling in (kind, kind.replace("-", ""))},
    "off": "none",
    "disable": "none",
}
# What follows the type in an option's key, and what it is of a restart strategy.
_RESTART_FIELDS: Final[Mapping[RestartType, Mapping[str, str]]] = {
    "none": {},
    "fixed-delay": {"attempts": "attempts", "delay": "delay"},
    "failure-rate": {
        "max-failures-per-interval": "attempts",
        "failure-rate-interval": "failure_interval",
        "delay": "delay",
    },
    "exponential-delay": {
        "initial-backoff": "delay",
        "max-backoff": "max_delay",
        "backoff-multiplier": "multiplier",
        "attempts-before-reset-backoff": "attempts",
    },
}


def job_arguments(options: Mapping[str, Any], location: Location) -> dict[str, Any]:
    """The arguments of JobDefinition that the options give; what planning does not know stays in `options`."""
    arguments: dict[str, Any] = {}
    further: dict[str, Any] = {}
    for option, value in options.items():
        if option not in _JOB_KEY:
            further[option] = value
            continue
        try:
            arguments[_JOB_KEY[option]] = _read(_JOB_KEY[option], value)
        except Fault as fault:
            raise JobDefinitionError(
                f"the option `{option}` {fault.message}", location=location, hint=fault.hint
            ) from None
    if further:
        arguments["options"] = further
    return arguments


def _read(key: str, value: Any) -> Any:
    """Flink reads every option from text as well, and its durations with a unit."""
    type = JOB_KEYS[key].type
    if not isinstance(value, str):
        return type.read(value)
    if key == "buffer_timeout" and not value.strip().lstrip("-").isdigit():
        try:
            return parse_duration(value)
        except ValueError as error:
            raise Fault(f"is not a duration: {error}") from None
    return from_text(type, value)


def restart_of(job: JobDefinition) -> RestartStrategy | None:
    """When a job starts again: as it says itself, else as its options `restart-strategy.*` say; None: neither does."""
    if job.restart_strategy is not None:
        return job.restart_strategy
    written = next((job.options[key] for key in (f"{_RESTART}.type", _RESTART) if key in job.options), None)
    if written is None:
        return None
    kind = _RESTART_TYPES.get(str(written).strip().lower())
    if kind is None:
        raise JobDefinitionError(
            f"the option `{_RESTART}.type` is {str(written)!r}", location=job.location,
            hint=f"one of {', '.join(RESTART_TYPES)}",
        )  # fmt: skip
    given: dict[str, Any] = {}
    for suffix, name in _RESTART_FIELDS[kind].items():
        option = f"{_RESTART}.{kind}.{suffix}"
        if option in job.options:
            given[name] = _restart_value(option, name, job.options[option], job.location)
    return restart_strategy(kind, given)


def _restart_value(option: str, name: str, value: Any, location: Location) -> int | float:
    try:
        if name == "attempts":
            found: int | float = int(value)
        elif name == "multiplier":
            found = float(value)
        else:
            found = parse_duration(str(value))
    except ValueError as error:
        raise JobDefinitionError(f"the option `{option}` cannot be read: {error}", location=location) from None
    if found < (1 if name == "multiplier" else 0):
        raise JobDefinitionError(f"the option `{option}` is too small: {value}", location=location)
    return found
