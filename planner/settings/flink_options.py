"""Flink's own option keys, as given to `configure` or `options`: those that planning knows become fields of the job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from planner.errors import JobDefinitionError
from planner.job import Location
from planner.settings.durations import parse_duration
from planner.settings.job_format import BUFFER_TIMEOUT, MAX_PARALLELISM_VALUE, PARALLELISM
from planner.settings.values import CHOICE, FLAG, TEXT, Fault

__all__ = ["job_arguments"]


def _flag(value: Any) -> bool:
    return bool(
        FLAG.read({"true": True, "false": False}.get(value.lower(), value) if isinstance(value, str) else value)
    )


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.strip().lstrip("-").isdigit() else value


def _mode(value: Any) -> str:
    return str(CHOICE("streaming", "batch", "automatic").read(value.lower() if isinstance(value, str) else value))


def _timeout(value: Any) -> int:
    value = _number(value)
    if isinstance(value, str):
        try:
            return parse_duration(value)
        except ValueError as error:
            raise Fault(f"is not a duration: {error}") from None
    return int(BUFFER_TIMEOUT.read(value))


_KNOWN: Final[Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "pipeline.name": ("name", TEXT.read),
    "parallelism.default": ("parallelism", lambda value: PARALLELISM.read(_number(value))),
    "pipeline.max-parallelism": ("max_parallelism", lambda value: MAX_PARALLELISM_VALUE.read(_number(value))),
    "execution.runtime-mode": ("runtime_mode", _mode),
    "pipeline.operator-chaining.enabled": ("chaining", _flag),
    "pipeline.operator-chaining": ("chaining", _flag),
    "pipeline.operator-chaining.chain-operators-with-different-max-parallelism": (
        "chain_different_max_parallelism",
        _flag,
    ),
    "execution.buffer-timeout.interval": ("buffer_timeout", _timeout),
    "execution.buffer-timeout": ("buffer_timeout", _timeout),
}


def job_arguments(options: Mapping[str, Any], location: Location) -> dict[str, Any]:
    """The arguments of JobDefinition that the options give; what planning does not know stays in `options`."""
    arguments: dict[str, Any] = {}
    further: dict[str, Any] = {}
    for key, value in options.items():
        if key not in _KNOWN:
            further[key] = value
            continue
        name, read = _KNOWN[key]
        try:
            arguments[name] = read(value)
        except Fault as fault:
            raise JobDefinitionError(
                f"the option `{key}` {fault.message}", location=location, hint=fault.hint
            ) from None
    if further:
        arguments["options"] = further
    return arguments
