"""Which function objects may remember something between records."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

from planner import MapFunction
from spark_runner.lowering.memory import may_remember


class Plain(MapFunction):
    def __init__(self, factor: int = 2) -> None:
        self.factor, self.pattern = factor, re.compile("a")

    def map(self, value: Any) -> Any:
        return value * self.factor


class Counting(MapFunction):
    def __init__(self) -> None:
        self.seen = 0

    def map(self, value: Any) -> Any:
        self.seen += 1
        return self.seen


class Collecting(MapFunction):
    def __init__(self) -> None:
        self.seen: list[Any] = []

    def map(self, value: Any) -> Any:
        self.seen.append(value)
        return len(self.seen)


class Opening(MapFunction):
    def open(self, runtime_context: Any) -> None:
        self.known: set[Any] = set()

    def map(self, value: Any) -> Any:
        return value in self.known


class Sharing(MapFunction):
    known: dict[Any, Any] = {}  # noqa: RUF012

    def map(self, value: Any) -> Any:
        return self.known.setdefault(value, len(self.known))


class Deriving(Counting):
    """As the one above it."""


@pytest.mark.parametrize(
    "target", [None, len, abs, lambda x: x, partial(max, 1), Plain(), Plain, re.compile("a").match]
)
def test_what_cannot_remember(target: Any) -> None:
    assert not may_remember(target)


@pytest.mark.parametrize(
    "target", [Counting(), Counting, Collecting(), Opening(), Sharing(), Deriving(), Deriving().map]
)
def test_what_may_remember(target: Any) -> None:
    assert may_remember(target)
