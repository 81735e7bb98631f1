"""Suggestions for mistyped words: near ones, and none where nothing is near."""

from __future__ import annotations

import pytest

from planner.spelling import nearest, nearest_or_all

COMMANDS = ("cancel", "diff", "explain", "lint", "order", "render", "rule", "run", "runs", "schema", "show")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("expalin", "explain"), ("rnu", "run"), ("Lint", "lint"), ("shema", "schema"),
     ("check", None), ("chek", None), ("graph", None), ("x" * 10_000, None), ("", None)],
)  # fmt: skip
def test_nearest(written: str, meant: str | None) -> None:
    assert nearest(written, COMMANDS) == meant


def test_dashes_and_case_are_no_misspelling() -> None:
    assert nearest("Max-Parallelism", ["parallelism", "max_parallelism"]) == "max_parallelism"


def test_all_words_are_named_where_none_is_near() -> None:
    assert nearest_or_all("zzz", ["a", "b", "a"]) == "known: a, b"
    assert nearest_or_all("zzz", map(str, range(25))).endswith("18, 19 and 5 more")
