"""Suggestions for mistyped words: near ones, and none where nothing is near."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import OptionError
from planner.frontends.loading import load_job
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


@pytest.mark.parametrize(
    ("written", "hint"), [("jbo.py", "did you mean `{}/job.yaml`?"), ("zzz.yaml", "check the path")]
)
def test_files_are_compared_by_their_name_alone(tmp_path: Path, written: str, hint: str) -> None:
    (tmp_path / "job.yaml").write_text("")
    with pytest.raises(OptionError) as caught:
        load_job(tmp_path / written)
    assert caught.value.hint == hint.format(tmp_path)
