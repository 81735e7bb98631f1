"""Durations and sizes as people write them: `10s`, `1 h`, `128mb`."""

from __future__ import annotations

import re

_WRITTEN = re.compile(r"\s*(\d+)\s*([a-z]*)\s*", re.IGNORECASE)
_MILLISECONDS = {"": 1, "ms": 1, "s": 1_000, "sec": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_BYTES = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}


def parse_duration(value: object) -> int:
    """Milliseconds of `10s`, `5 min` or a bare number of milliseconds; ValueError says what is allowed."""
    return _parse(value, _MILLISECONDS, "a duration such as 500ms, 10s, 5min, 1h or 1d")


def parse_size(value: object) -> int:
    """Bytes of `32kb`, `128mb` or a number of bytes (units of 1024, as Flink's); ValueError says what is allowed."""
    return _parse(value, _BYTES, "a size such as 32kb, 128mb or 1gb")


def _parse(value: object, units: dict[str, int], wanted: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    written = _WRITTEN.fullmatch(value) if isinstance(value, str) else None
    unit = written[2].lower().replace("kib", "kb").replace("mib", "mb").replace("gib", "gb") if written else ""
    if written is None or unit not in units:
        raise ValueError(f"{value!r} is not {wanted}")
    return int(written[1]) * units[unit]
