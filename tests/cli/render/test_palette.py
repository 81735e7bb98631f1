"""Colours that can be read: every text of a picture against what it is written on, in both themes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cli.render.pictures.palette import HEAT_STEPS, THEMES, Theme, ThemeName, heat_step

READABLE = 4.5  # the least contrast that WCAG asks for of small letters


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def written(theme: Theme) -> Iterator[tuple[str, str, str]]:
    """What is written, its colour, and the colour behind it."""
    for kind, box in theme.boxes.items():
        yield f"name in {kind}", theme.ink, box.inside
        yield f"facts in {kind}", theme.muted, box.inside
    for frame, fill in theme.clusters.items():
        yield f"title of {frame}", theme.ink, fill.inside
        yield f"facts of {frame}", theme.muted, fill.inside
    for step, heat in enumerate(theme.heat):
        yield f"title on heat {step}", theme.ink, heat
    for arrow in ("chained", "broken", "needed", "fixed"):
        yield f"label of {arrow}", theme.arrows[arrow], theme.paper


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_can_be_read(theme: ThemeName) -> None:
    weak = {what: round(contrast(ink, paper), 2) for what, ink, paper in written(THEMES[theme])}
    assert {what: ratio for what, ratio in weak.items() if ratio < READABLE} == {}


def test_the_measure_itself_knows_black_from_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_heat_has_a_colour_for_every_share() -> None:
    assert [heat_step(share) for share in (0, 0.19, 0.2, 0.99, 1)] == [0, 0, 1, 4, 4]
    assert {len(theme.heat) for theme in THEMES.values()} == {HEAT_STEPS}
