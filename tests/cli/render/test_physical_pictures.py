"""The physical stage on a cluster and of a run that happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.app import main
from cli.render.pictures.run import run_picture

ROOT = Path(__file__).parents[3]
JOIN = str(ROOT / "samples/two_streams_join/job.yaml")


def drawn(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["render", JOIN, "--stage", "physical", "-f", "mermaid", *options]) == 0
    return capsys.readouterr().out


def test_task_managers_are_frames_with_their_slots(capsys: pytest.CaptureFixture[str]) -> None:
    text = drawn(capsys, "--task-managers", "3", "--slots", "2", "--load-balance", "slots")
    assert text.count("subgraph t") == 3
    assert text.count(":::slot") == 4  # the job needs four slots
    assert text.count("<br/>free") == 2  # drawn where they are, so that all frames are as high


def test_many_free_slots_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    text = drawn(capsys, "--task-managers", "1", "--slots", "20")
    assert "16 slots free" in text and "<br/>free" not in text


def test_vertices_of_one_name_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    text = drawn(capsys)
    assert "Filter #40;customers#41; #91;0#93;" in text and "Filter #40;orders#41; #91;0#93;" in text


def test_a_large_cluster_is_folded_as_the_text_is(capsys: pytest.CaptureFixture[str]) -> None:
    text = drawn(capsys, "--task-managers", "100", "--slots", "1")
    assert text.count("subgraph t") == 2
    assert "task managers 0-3" in text and "task managers 4-99" in text
    assert main(["show", JOIN, "--stage", "physical", "--task-managers", "100", "--slots", "1"]) == 0
    shown = capsys.readouterr().out
    assert "task managers 0-3" in shown and "task managers 4-99" in shown


def test_too_few_slots_say_what_to_change(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", JOIN, "--stage", "physical", "--task-managers", "1", "--slots", "2"]) == 2
    error = capsys.readouterr().err
    assert "needs 4 slots, and the cluster has 2" in error
    assert "--slots 4" in error


def test_a_configured_cluster_that_is_too_small_is_a_remark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.plan.cluster]\ntask_managers = 1\nslots = 2\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["render", JOIN, "--stage", "physical", "-f", "mermaid"]) == 0
    captured = capsys.readouterr()
    assert "drawn without task managers" in captured.err
    assert captured.out.count(":::slot") == 4


def test_task_managers_belong_to_the_physical_stage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", JOIN, "--stage", "job", "--slots", "2"]) == 2
    assert "--stage physical" in capsys.readouterr().err


def subtask(number: int, host: str | None, *, attempt: int = 0, seconds: float | None = 0.5) -> dict[str, Any]:
    return {"subtask": number, "stage": 1, "attempt": attempt, "host": host, "started": 0.0, "seconds": seconds}


def report(*vertices: list[dict[str, Any]], parallelism: int = 2) -> dict[str, Any]:
    return {
        "id": "20261116-000000-abcd",
        "name": "a run",
        "state": "FINISHED",
        "master": "local[2]",
        "seconds": 1.25,
        "vertices": [
            {"vertex": at, "id": "0" * 32, "name": f"Vertex {at}", "parallelism": parallelism, "subtasks": subtasks}
            for at, subtasks in enumerate(vertices)
        ],
    }


def test_a_run_shows_hosts_attempts_and_times() -> None:
    picture = run_picture(report([subtask(0, "one"), subtask(1, "two", attempt=1, seconds=2.0)], [subtask(0, "one")]))
    assert [cluster.title for cluster in picture.clusters] == ["one", "two"]
    by_title = {(box.cluster, box.title): box.lines for box in picture.boxes}
    assert by_title["t0", "Vertex 0 (1 of 2 subtasks)"] == ("subtask 0: 0.50 s, attempt 1",)
    assert by_title["t1", "Vertex 0 (1 of 2 subtasks)"] == ("subtask 1: 2.00 s, attempt 2",)
    assert picture.subtitle == "run 20261116-000000-abcd: FINISHED, 1.2 s on local[2]"


def test_what_the_master_does_not_say_is_not_left_out() -> None:
    picture = run_picture(report([subtask(0, None, seconds=None)], [], parallelism=1))
    assert [cluster.title for cluster in picture.clusters] == ["host not known"]
    assert [box.lines for box in picture.boxes] == [
        ("subtask 0: time not known, attempt 1",),
        ("not measured one by one",),
    ]


def test_many_subtasks_of_a_run_are_folded() -> None:
    many = [subtask(number, "one", attempt=number % 2, seconds=number / 10) for number in range(40)]
    box = run_picture(report(many, parallelism=40)).boxes[0]
    assert box.title == "Vertex 0 (40 subtasks)"
    assert box.lines == ("0.00 s to 3.90 s", "median 2.00 s", "20 retried")


def test_a_run_is_found_by_the_beginning_of_its_id_or_by_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("20261116-a", "20261116-b"):
        (tmp_path / ".plan/runs" / name).mkdir(parents=True)
        text = json.dumps(report([subtask(0, "one")]))
        (tmp_path / ".plan/runs" / name / "report.json").write_text(text, encoding="utf-8")

    def render(run: str, *options: str) -> tuple[int, str]:
        code = main(["render", "--stage", "physical", "-f", "dot", "--run", run, *options])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    assert render("20261116-a")[0] == 0
    assert render(".plan/runs/20261116-b/report.json")[0] == 0
    assert render("2026") == (2, "error: '2026' fits 2 runs\n  20261116-a, 20261116-b\n")
    assert "there is no report of a run 'nope'" in render("nope")[1]
    assert "add --stage physical" in render("20261116-a", "--stage", "job")[1]
    (tmp_path / "other.json").write_text('{"id": 1}', encoding="utf-8")
    assert "is not the report of a run" in render("other.json")[1]
