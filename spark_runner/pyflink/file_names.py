"""Where a FileSink puts its files, and how it names them: buckets by time, a prefix and a suffix.

Flink asks the clock for every record. Here all records of a run, or of one batch of a stream, go into one bucket.
"""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo

from planner.frontends.pyflink.recorded import Call, Recorded
from planner.job import FileNames, Operator
from spark_runner.pyflink.parts import refused

__all__ = ["bucket_of", "file_names"]

_BY_HOUR: Final = "yyyy-MM-dd--HH"
_TOKEN: Final = re.compile(r"'(?P<text>(?:[^']|'')*)'|(?P<letters>([A-Za-z])\3*)|(?P<other>.)", re.DOTALL)
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


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


def bucket_of(names: FileNames, millis: int) -> str:
    """The folder of a moment, below the sink's own; "" for the sink's own. Raises ValueError for an unknown pattern."""
    if names.bucket is None:
        return ""
    zone: tzinfo | None = None if names.zone is None else ZoneInfo(names.zone)
    moment = datetime.fromtimestamp(millis / 1000, zone)
    return "".join(_written(token, moment) for token in _TOKEN.finditer(names.bucket))


def _written(token: re.Match[str], moment: datetime) -> str:
    if token["text"] is not None:
        return token["text"].replace("''", "'") or "'"
    if token["other"] is not None:
        return token["other"]
    letters = token["letters"]
    found = _field(letters, moment)
    if found is None:
        raise ValueError(f"{letters!r} is not followed here")
    return found


def _field(letters: str, moment: datetime) -> str | None:
    """One field of Java's DateTimeFormatter."""
    width = len(letters)
    if letters in ("yy", "uu"):
        return f"{moment.year % 100:02d}"
    if letters[0] in "yu":
        return f"{moment.year:0{width}d}"
    if letters[0] == "M" and width > 2:
        return _MONTHS[moment.month - 1] if width == 3 else None
    if letters[0] == "E":
        return _DAYS[moment.weekday()] if width <= 3 else None
    if letters[0] == "S":
        return f"{moment.microsecond:06d}".ljust(9, "0")[:width] if width <= 9 else None
    if letters == "a":
        return "AM" if moment.hour < 12 else "PM"
    if letters[0] == "D":
        return f"{moment.timetuple().tm_yday:0{width}d}" if width in (1, 3) else None
    numbers = {"M": moment.month, "d": moment.day, "H": moment.hour, "h": moment.hour % 12 or 12, "m": moment.minute,
               "s": moment.second}  # fmt: skip
    return f"{numbers[letters[0]]:0{width}d}" if letters[0] in numbers and width <= 2 else None
