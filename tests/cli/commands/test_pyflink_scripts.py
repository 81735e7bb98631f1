"""PyFlink scripts on the command line: merged operators explained, pairs, jobs by number, arguments, the other API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.app import main
from tests.support.pyflink_scripts import HEAD, write_script

BODY = "words = lines.flat_map(str.split)\npairs = words.map(len).set_parallelism(2)\npairs.print()"


@pytest.fixture
def script(tmp_path: Path) -> str:
    return str(write_script(tmp_path, BODY))


def test_explain_says_what_merged_and_what_did_not(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", script]) == 0
    text = capsys.readouterr().out
    assert "Python operators" in text
    assert "PM006 different-parallelism: parallelism 1 -> 2" in text
    assert "to merge them: set the parallelism of flat_map-1 and map-1 to 1" in text
    assert "default parallelism 1 (nothing sets it" in text


def test_one_pair_has_all_conditions_as_text_and_json(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", script, "--edge", "flat_map-1:map-1"]) == 0
    text = capsys.readouterr().out
    assert "10 of 11 merge conditions hold: not merged" in text
    assert "CH009" in text
    assert main(["explain", script, "--edge", "flat_map-1:map-1", "--format", "json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert [one["code"] for one in pair["conditions"] if not one["holds"]] == ["PM006"]


def test_a_change_is_tried_on_what_was_written(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", script, "--set", "map-1.parallelism=1", "--format", "json"]) == 0
    merged = json.loads(capsys.readouterr().out)["python"]["merged"]
    assert [one["name"] for one in merged] == ["FlatMap, Map, Map"]


def test_parallelism_of_the_command_line_and_of_the_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = str(write_script(tmp_path, "lines.map(str).print()"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.plan]\nparallelism = 3\n", encoding="utf-8")
    for arguments, parallelism, origin in (([], 3, "[tool.plan]"), (["-p", "5"], 5, "--parallelism")):
        assert main(["explain", script, "--format", "json", *arguments]) == 0
        python = json.loads(capsys.readouterr().out)["python"]
        assert python["parallelism"] == parallelism
        assert origin in python["parallelism_origin"]


def test_several_jobs_are_listed_and_lint_takes_them_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = str(write_script(tmp_path, "lines.print('a')\nenv.execute()\nlines.map(str).print('b')"))
    assert main(["explain", script]) == 2
    assert f"{script}:1, {script}:2" in capsys.readouterr().err
    assert main(["show", f"{script}:2", "--stage", "job"]) == 0
    assert main(["lint", script, "--select", "PL125"]) == 1
    found = capsys.readouterr().out
    assert found.count("PL125") == 2


def test_arguments_behind_the_dashes_reach_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = (
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--name', required=True)\n"
        "lines.print().name(parser.parse_args().name)"
    )
    script = str(write_script(tmp_path, body, head=HEAD))
    assert main(["show", script, "--stage", "job", "--", "--name", "given"]) == 0
    assert "Sink: given" in capsys.readouterr().out
    assert main(["show", script, "--stage", "job"]) == 2
    failed = capsys.readouterr()
    assert "the following arguments are required: --name" in failed.err
    assert "after `--`" in failed.err
    assert "usage:" not in failed.err


def test_the_merge_conditions_have_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "PM011"]) == 0
    assert "several-consumers" in capsys.readouterr().out


def test_options_that_cannot_hold_are_refused(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", script, "--flink", "2.1"]) == 2
    assert "known for Flink 1.18, 1.19, 1.20, 2.3 only" in capsys.readouterr().err
    assert main(["explain", script, "--flink", "2.1", "--api", "java"]) == 0
    for arguments in (["-p", "2"], ["--api", "java"], ["--", "x"]):
        assert main(["explain", "samples/word_count/job.yaml", *arguments]) == 2
        assert "for Python jobs only" in capsys.readouterr().err
