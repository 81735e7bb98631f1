"""Flink's own option keys, as given to `configure` or `options`: those that planning knows become fields of the job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner.errors import JobDefinitionError
from planner.job import Location
from planner.settings.durations import parse_duration
from planner.settings.job_format import JOB_KEYS
from planner.settings.values import Fault, from_text

__all__ = ["job_arguments"]

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
