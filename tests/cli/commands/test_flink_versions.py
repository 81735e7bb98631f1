"""`--flink` on every command that plans, `[tool.plan] flink`, and the answer to "what does an upgrade do?"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.app import main

JOB = """name: join
parallelism: 2
{more}operators:
  - {{id: a, type: source}}
  - {{id: b, type: source}}
  - {{id: j, type: co_process, inputs: [a, b], key_by: k}}
  - {{id: out, type: sink, api: v2, input: j}}
"""
PLANNING = ("explain", "show", "order", "lint", "render", "run")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(JOB.format(more=""), encoding="utf-8")
    return tmp_path


def strategy(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    assert main(["show", "job.yaml", "--stage", "stream", "--format", "json", *options]) == 0
    return json.loads(capsys.readouterr().out)["stream_graph"]["nodes"][2]["chaining_strategy"]


@pytest.mark.parametrize("command", PLANNING)
def test_every_planning_command_takes_a_version_and_refuses_others(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"render": ["-f", "dot"], "run": ["--dry-run"], "lint": ["--exit-zero"]}.get(command, [])
    if command != "run":  # the job says what to plan, not what to run
        assert main([command, "job.yaml", "--flink", "1.20", *more]) == 0
    capsys.readouterr()
    assert main([command, "job.yaml", "--flink", "1.7", *more]) == 2
    assert "1.18, 1.19, 1.20, 2.0" in capsys.readouterr().err


def test_the_option_wins_over_the_settings_and_they_over_the_newest(capsys: pytest.CaptureFixture[str]) -> None:
    assert strategy(capsys) == "ALWAYS"
    Path("pyproject.toml").write_text('[tool.plan]\nflink = "1.20"\n', encoding="utf-8")
    assert strategy(capsys) == "HEAD"
    assert strategy(capsys, "--flink", "2.0") == "ALWAYS"
    Path("pyproject.toml").write_text('[tool.plan]\nflink = "2.0"\n[tool.plan.jobs.join]\nflink = "1.19"\n')
    assert strategy(capsys) == "HEAD"


@pytest.mark.parametrize(
    ("written", "said"), [("1.20", "in quotes"), ('"1.4"', "there are 1.18"), ("true", "in quotes")]
)
def test_a_wrong_setting_has_its_line(written: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text(f"[tool.plan]\nflink = {written}\n", encoding="utf-8")
    assert main(["order", "job.yaml"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("pyproject.toml:2")
    assert said in error


@pytest.mark.parametrize(
    "arguments",
    [
        ["job.yaml@1.20", "job.yaml@2.3"],
        ["job.yaml", "job.yaml", "--flink-old", "1.20", "--flink-new", "2.3"],
        ["job.yaml@1.20.3", "job.yaml"],
    ],
)
def test_an_upgrade_is_answered_in_words(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *arguments, "--exit-code"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Flink 1.20 -> 2.3" in text
    assert "topology: it stays: the same operators, chains and exchanges in 3 tasks" in text
    assert "operator ids: all 4 stay" in text
    assert "state: every operator finds the state of its savepoint again" in text
    assert "ALWAYS instead of HEAD for Co-Keyed-Process" in text


def test_a_batch_sink_that_becomes_open_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("job.yaml").write_text(JOB.format(more="runtime_mode: batch\n"), encoding="utf-8")
    assert main(["diff", "job.yaml@1.18", "job.yaml@1.19", "--format", "json"]) == 0
    (answer,) = json.loads(capsys.readouterr().out)["flink"]
    assert answer["topology"].startswith("it changes: Co-Keyed-Process -> Sink: Writer has parallelism decided at run")
    assert any("Sink: Writer" in note and "at run time" in note for note in answer["notes"])


def test_one_version_on_both_sides_is_no_upgrade(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "job.yaml", "job.yaml", "--flink", "1.18"]) == 0
    assert capsys.readouterr().out == "join: no changes\n"


def test_an_option_that_the_new_version_lacks_stops_the_diff(capsys: pytest.CaptureFixture[str]) -> None:
    Path("job.yaml").write_text(JOB.format(more="options: {cluster.evenly-spread-out-slots: true}\n"), encoding="utf-8")
    assert main(["diff", "job.yaml@1.20", "job.yaml@2.3"]) == 2
    assert "use `taskmanager.load-balance.mode`" in capsys.readouterr().err


def test_a_baseline_cannot_be_planned_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "job.yaml", "--update-baseline"]) == 0
    assert main(["diff", "plan.lock.json@1.20", "job.yaml"]) == 2
    assert "recorded" in capsys.readouterr().err


def test_a_change_that_is_tried_is_planned_for_the_same_version(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["explain", "job.yaml", "--flink", "1.20", "--set", "j.parallelism=3", "--format", "json"]
    assert main(call) == 0
    edges = json.loads(capsys.readouterr().out)["edges"]
    assert "CH005" in [obstacle["code"] for obstacle in edges[0]["obstacles"]]
