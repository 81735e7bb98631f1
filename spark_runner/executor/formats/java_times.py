"""Times of day as Java writes and reads them. Runs on workers."""

from __future__ import annotations

from datetime import time

__all__ = ["parsed_time", "time_text"]


def time_text(value: time) -> str:
    """Hours, minutes and seconds; a fraction with three or six digits where there is one."""
    text = f"{value.hour:02d}:{value.minute:02d}:{value.second:02d}"
    if not value.microsecond:
        return text
    fraction = f"{value.microsecond:06d}"
    return f"{text}.{fraction[:3] if fraction.endswith('000') else fraction}"


def parsed_time(text: str) -> time:
    """A time of day."""
    return time.fromisoformat(text)
