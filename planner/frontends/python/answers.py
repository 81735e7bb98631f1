"""What getters of recorded settings answer, where it is more than the value that was set last."""

from __future__ import annotations

from typing import Any, TypeVar

from planner.frontends.python.recorded import Recorded
from planner.frontends.python.values.types import TypeInformation
from planner.frontends.python.versions import version

__all__ = [
    "check_properties", "check_type", "last_given", "made_with", "path_text", "produced_by_schema",
    "refuse_retention", "restart_description",
]  # fmt: skip

_Settings = TypeVar("_Settings")


def last_given(settings: Recorded, *setters: str) -> Any:
    """What the last call of some setters was given; None where none was called."""
    given = [call.first() for call in settings._calls if call.name in setters]
    return given[-1] if given else None


def made_with(settings: Recorded, argument: str, default: Any = None) -> Any:
    """What settings were made with; the default where nothing was given."""
    given = dict(settings._calls[0].arguments).get(argument)
    return default if given is None else given


def path_text(path: str | None) -> str | None:
    """A path as Flink writes it: no empty authority, no doubled and no last slash."""
    if path is None:
        return None
    scheme, colon, rest = path.partition(":/")
    if not colon:
        scheme, rest = "", path
    else:
        scheme, rest = f"{scheme}:", f"/{rest}"
    authority = ""
    if rest.startswith("//"):
        authority, _, rest = rest[2:].partition("/")
        rest = f"/{rest}"
    while "//" in rest:
        rest = rest.replace("//", "/")
    return f"{scheme}{f'//{authority}' if authority else ''}{rest.rstrip('/') or '/'}"


def restart_description(strategy: Recorded) -> str:
    """A restart strategy in Flink's words."""
    made = strategy._calls[0]
    given = [value for _, value in made.arguments]
    kind = type(strategy).__name__
    if kind.startswith("No"):
        return "Restart deactivated."
    if kind.startswith("FixedDelay"):
        return f"Restart with fixed delay ({_time(given[1])}). #{given[0]} restart attempts."
    if kind.startswith("FailureRate"):
        return (
            f"Failure rate restart with maximum of {given[0]} failures within interval {_time(given[1])} "
            f"and fixed delay {_time(given[2])}."
        )
    return "Cluster level default restart strategy"


def _time(length: Any) -> str:
    """A length of time as Java prints it; Flink 1.18 prints milliseconds."""
    millis = int(length.to_milliseconds() if hasattr(length, "to_milliseconds") else length)
    if version() == "1.18":
        return f"{millis} ms"
    if millis == 0:
        return "PT0S"
    hours, rest = divmod(millis, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    seconds = f"{rest / 1000:.3f}".rstrip("0").rstrip(".")
    return "PT" + (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "") + (f"{seconds}S" if rest else "")


def check_properties(properties: Any) -> None:
    """Refuse properties of Kafka's old connector that are no texts."""
    for key, value in properties.items():
        if not isinstance(key, str) or not isinstance(value, str):
            kinds = f"[class {type(key).__name__}, class {type(value).__name__}]"
            raise TypeError(f"Method setProperty({kinds}) does not exist: {key!r} and its value must be str")


def check_type(method: str, value: Any, wanted: type) -> None:
    """Refuse a value for which Java has no method."""
    if not isinstance(value, wanted):
        raise TypeError(f"Method {method}([class {type(value).__name__}]) does not exist: it takes {wanted.__name__}")


def produced_by_schema(source: Recorded) -> TypeInformation:
    """The type of the records that a source function's schema gives."""
    from planner.frontends.python.connector_facts import schema_given, schema_type

    return schema_type(schema_given(source))


def refuse_retention(settings: _Settings) -> _Settings:
    """PyFlink 1.20 has the call, and fails in it: it looks for Java's class in the wrong place."""
    if version() == "1.20":
        raise AttributeError(
            "CheckpointConfig.ExternalizedCheckpointRetention does not exist in the JVM: "
            "use set_externalized_checkpoint_cleanup()"
        )
    return settings
