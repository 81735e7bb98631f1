"""Durations as people write them."""

from __future__ import annotations

import pytest

from planner.settings.durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("100ms", 100), ("5s", 5_000), ("1 min", 60_000), ("2h", 7_200_000), ("1h 30min", 5_400_000), ("250", 250)],
)
def test_read(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds
    assert parse_duration(format_duration(milliseconds)) == milliseconds


@pytest.mark.parametrize("text", ["", "s", "5 parsecs", "-5s", "1h 30", "5s!", "9" * 19 + "d"])
def test_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"duration|unit|longer"):
        parse_duration(text)
