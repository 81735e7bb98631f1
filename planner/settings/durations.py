"""Durations as people write them (`5s`, `100ms`, `1 min`, `1h 30min`), in milliseconds."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["LONGEST", "format_duration", "parse_duration"]

_MILLISECONDS: Final = {
    unit: factor
    for factor, units in (
        (1, ("ms", "milli", "millis", "millisecond", "milliseconds")),
        (1_000, ("s", "sec", "secs", "second", "seconds")),
        (60_000, ("m", "min", "mins", "minute", "minutes")),
        (3_600_000, ("h", "hour", "hours")),
        (86_400_000, ("d", "day", "days")),
    )
    for unit in units
}
LONGEST: Final = 2**63 - 1  # Flink and Spark both count milliseconds in a signed 64-bit number

_PART: Final = re.compile(r"\s*([0-9]{1,19})\s*([A-Za-z]*)")


def parse_duration(text: str) -> int:
    """The milliseconds of a written duration; a bare number is milliseconds, as in Flink. Raises ValueError."""
    parts = _parts(text)
    if len(parts) > 1 and any(not unit for _, unit in parts):
        raise ValueError(f"{text!r} has a number without a unit")
    total = 0
    for number, unit in parts:
        factor = _MILLISECONDS.get(unit.lower() or "ms")
        if factor is None:
            raise ValueError(f"{text!r} has the unknown unit {unit!r}; use ms, s, min, h or d")
        total += int(number) * factor
    if total > LONGEST:
        raise ValueError(f"{text!r} is longer than Flink can count")
    return total


def _parts(text: str) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _PART.match(text, position)
        if match is None:
            break
        parts.append((match[1], match[2]))
        position = match.end()
    if not parts or position < end:
        raise ValueError(f"{text[:40]!r} is not a duration; write for example 100ms, 5s, 1 min or 2h")
    return parts


def format_duration(milliseconds: int) -> str:
    """A duration in its largest whole unit, the way `parse_duration` reads it."""
    for factor, unit in ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")):
        if milliseconds and milliseconds % factor == 0:
            return f"{milliseconds // factor}{unit}"
    return f"{milliseconds}ms"
