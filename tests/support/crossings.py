"""Which texts of an SVG drawing are crossed by an arrow: paths as short lines, texts as boxes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass

SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
STEPS = 24  # pieces of one curve
WIDTH = 0.5  # of a letter, in its height: narrower than any font that is used, so that a near miss is none


@dataclass(frozen=True, slots=True)
class Text:
    """A text and the box that its letters fill."""

    words: str
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, x: float, y: float) -> bool:
        return self.left < x < self.right and self.top < y < self.bottom


def crossed(svg: str | bytes) -> list[str]:
    """The texts that an arrow goes through."""
    root = ElementTree.fromstring(svg)
    points = [point for edge in _groups(root, "edge") for point in _points(edge)]
    return [text.words for text in _texts(root) if any(text.holds(x, y) for x, y in points)]


def _groups(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    return (group for group in root.iter(f"{SVG}g") if name in (group.get("class") or "").split())


def _texts(root: ElementTree.Element) -> Iterator[Text]:
    for text in root.iter(f"{SVG}text"):
        words = "".join(text.itertext()).strip()
        size, x, y = (float(text.get(name) or 0) for name in ("font-size", "x", "y"))
        width = len(words) * size * WIDTH
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor") or "start"]
        if words:
            yield Text(words, left, y - size * 0.7, left + width, y)


def _points(edge: ElementTree.Element) -> Iterator[tuple[float, float]]:
    for path in edge.iter(f"{SVG}path"):
        numbers = [float(number) for number in _NUMBER.findall(path.get("d") or "")]
        corners = list(zip(numbers[::2], numbers[1::2], strict=True))
        for at in range(0, len(corners) - 3, 3):
            yield from _curve(*corners[at : at + 4])
    for head in edge.iter(f"{SVG}polygon"):
        numbers = [float(number) for number in _NUMBER.findall(head.get("points") or "")]
        yield from zip(numbers[::2], numbers[1::2], strict=True)


Point = tuple[float, float]


def _curve(a: Point, b: Point, c: Point, d: Point) -> Iterator[Point]:
    for step in range(STEPS + 1):
        t = step / STEPS
        weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3)
        yield (
            sum(weight * point[0] for weight, point in zip(weights, (a, b, c, d), strict=True)),
            sum(weight * point[1] for weight, point in zip(weights, (a, b, c, d), strict=True)),
        )
