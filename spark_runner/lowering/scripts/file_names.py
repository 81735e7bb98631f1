"""Where a FileSink puts its files, and how it names them: buckets by time, a prefix and a suffix."""

from __future__ import annotations

from typing import Any, Final

from planner.frontends.python.recorded import Call, Recorded
from planner.job import FileNames, Operator
from spark_runner.lowering.scripts.parts import refused
from spark_runner.program.file_names import bucket_of

__all__ = ["file_names"]

_BY_HOUR: Final = "yyyy-MM-dd--HH"


def file_names(operator: Operator, sink: Recorded) -> FileNames:
    """What a FileSink says of its files. Raises UnsupportedOnSpark where that cannot be followed."""
    assigner, config = sink.last("with_bucket_assigner"), sink.last("with_output_file_config")
    pattern, zone = _buckets(assigner.first() if assigner is not None else None)
    prefix, suffix = _affixes(config.first() if config is not None else None)
    names = FileNames(bucket=pattern, zone=zone, prefix=prefix, suffix=suffix)
    try:
        bucket_of(names, 0)
    except (KeyError, ValueError, OSError) as error:
        raise refused(
            operator, f"has buckets by the pattern {pattern!r} and the time zone {zone!r}: {error}",
            "years, months, days, hours, minutes and seconds are followed, as in 'yyyy-MM-dd--HH'",
        ) from error  # fmt: skip
    return names


def _buckets(assigner: Any) -> tuple[str | None, str | None]:
    call = assigner._calls[0] if isinstance(assigner, Recorded) and assigner._calls else None
    if call is None:
        return _BY_HOUR, None
    if call.name.endswith("base_path_bucket_assigner"):
        return None, None
    given = dict(call.arguments)
    zone = given.get("timezone_id")
    return str(given.get("format_str", _BY_HOUR)), None if zone is None else str(zone)


def _affixes(config: Any) -> tuple[str, str]:
    """The prefix and the suffix, from the builder or the constructor."""
    prefix, suffix = "part", ""
    for call in config._calls if isinstance(config, Recorded) else ():
        given = dict(call.arguments)
        prefix = str(_given(call, given, "prefix", prefix))
        suffix = str(_given(call, given, "suffix", suffix))
    return prefix, suffix


def _given(call: Call, given: dict[str, Any], which: str, before: str) -> Any:
    if call.name == f"with_part_{which}":
        return call.first()
    return given.get(f"part_{which}", before)
