"""Settings as people write them, in text or as numbers: durations (`10s`) and sizes (`128mb`)."""

from __future__ import annotations

import re

from planner.settings.durations import parse_duration as parse_written_duration

_WRITTEN = re.compile(r"\s*(\d+)\s*([a-z]*)\s*", re.IGNORECASE)
_UNITS = ("b", "k", "m", "g", "t")


def parse_duration(value: object) -> int:
    """Milliseconds of `10s`, `1h 30min` or a number of milliseconds; ValueError says what is allowed."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a duration such as 500ms or 10s")
    return parse_written_duration(value)


def parse_size(value: object) -> int:
    """Bytes of `32kb`, `128mb` or a number of bytes (units of 1024, as Flink's); ValueError says what is allowed."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    written = _WRITTEN.fullmatch(value) if isinstance(value, str) else None
    unit = (written[2].lower() or "b") if written else ""
    if written is None or unit[0] not in _UNITS or unit[1:] not in ("", "b", "ib"):
        raise ValueError(f"{value!r} is not a size such as 32kb, 128mb or 1gb")
    return int(written[1]) << (10 * _UNITS.index(unit[0]))
