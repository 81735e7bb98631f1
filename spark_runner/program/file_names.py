"""The folder of a moment that files of a sink go into: buckets by time.

Flink asks the clock for every record. Here all records of a run, or of one batch of a stream, go into one bucket.
"""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from planner.job import FileNames

__all__ = ["bucket_of"]

_TOKEN: Final = re.compile(r"'(?P<text>(?:[^']|'')*)'|(?P<letters>([A-Za-z])\3*)|(?P<other>.)", re.DOTALL)
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


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
