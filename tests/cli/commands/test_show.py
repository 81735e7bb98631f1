"""`plan show --stage physical` with a cluster, a schedule and failures, as a user sees it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.jobs import wide
from cli.app import main
from tests.support.deployments import SAMPLES, TWO_STAGES

ORDER = str(SAMPLES / "order_123546" / "job.yaml")


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs `plan show JOB --stage physical ...` in an empty folder: what it printed, or what it complained of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")

    def run(job: str | dict[str, Any], *options: str, code: int = 0, stage: str = "physical") -> str:
        if isinstance(job, dict):
            (tmp_path / "given.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
            job = "given.yaml"
        assert main(["show", job, "--stage", stage, *options]) == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    return run


PLACED = """\
Deployment (2 task managers with 2 slots each; 4 of 4 slots used, packed)
  task manager 0  slot 0  Source: 1[0], Source: 2[0], 3[0], 5[0], 4[0], 6 -> Sink: Print to Std. Out[0]
                  slot 1  Source: 1[1], Source: 2[1], 3[1], 5[1], 4[1], 6 -> Sink: Print to Std. Out[1]
  task manager 1  slot 0  Source: 1[2], Source: 2[2], 3[2], 5[2], 4[2], 6 -> Sink: Print to Std. Out[2]
                  slot 1  Source: 1[3], Source: 2[3], 3[3], 5[3], 4[3], 6 -> Sink: Print to Std. Out[3]
"""

TIMELINE = """\
  step                                  0123456789
  1. Source: 1[0-3]                     .sdRRRRRRR
  2. Source: 2[0-3]                     .sdRRRRRRR
  3. 3[0-3]                             ...sdRRRRR
  5. 4[0-3]                             ...sdRRRRR
  4. 5[0-3]                             .....sdRRR
  6. 6 -> Sink: Print to Std. Out[0-3]  .......sdR
"""

FAILED = """\
Failure of count[0] with task manager 0: 6 subtasks in 2 regions restart, 2 do not
  region 2  failed                                   count[0-1], Sink: write[0-1]
  region 0  its result was lost and is needed again  Source: read[0], clean[0]
  read again:            the input of Source: read[0], from its beginning
  computed again:        clean[0] for count
  kept, read once more:  clean[1] for count
"""

WIDE = """\
  task managers 0-4999  slot 0  v1[0-4999], v2[0-4999], """

PACKED_WIDE = """\
  task managers 0-4999  slot 0  v1[0,2,..,9998], v2[0,2,..,9998], """


def test_a_placement_and_a_timeline(show: Any) -> None:
    text = show(ORDER, "--task-managers", "2", "--slots", "2", "--spread", "packed", "--schedule", "lazy")
    assert PLACED in text
    assert TIMELINE in text
    assert "6.  6 -> Sink: Print to Std. Out  0-3               7          8        9  5 RUNNING, 4 RUNNING\n" in text


def test_a_failure_with_its_task_manager(show: Any) -> None:
    text = show(TWO_STAGES, "--task-managers", "2", "--slots", "4", "--fail", "count[0]", "--lose-task-manager")
    assert FAILED in text


def test_too_few_slots_are_no_error_but_an_answer(show: Any) -> None:
    text = show(ORDER, "--task-managers", "1", "--slots", "3")
    assert "too few slots, 4 required and 3 offered (1 task manager with 3 slots): 1 missing" in text
    assert "see plan explain --set job.parallelism=3" in text


@pytest.mark.parametrize(("spread", "expected"), [("evenly", WIDE), ("packed", PACKED_WIDE)])
def test_a_large_cluster_is_folded(show: Any, spread: str, expected: str) -> None:
    options = ("--task-managers", "5000", "--slots", "2", "--spread", spread, "--schedule", "regions", "--fail", "2[7]")
    text = show(wide(10_000), *options)
    assert expected in text
    assert "Failure of v2[7]: 100 000 subtasks in 1 region restart, 0 do not" in text
    assert len(text.splitlines()) < 80
    assert max(len(line) for line in text.splitlines()) < 400


def test_json_has_the_deployment_next_to_the_stage(show: Any) -> None:
    options = (
        "--task-managers",
        "2",
        "--slots",
        "4",
        "--schedule",
        "regions",
        "--fail",
        "count[0]",
        "--format",
        "json",
    )
    document = json.loads(show(TWO_STAGES, *options))
    assert list(document) == ["name", "physical", "deployment"]
    deployment = document["deployment"]
    placed = [
        subtask
        for manager in deployment["placement"]["task_managers"]
        for slot in manager["slots"]
        for subtask in slot["subtasks"]
    ]
    assert sorted(placed) == sorted(subtask for slot in document["physical"]["slots"] for subtask in slot)
    assert [row["scheduled"] for row in deployment["schedule"]["executions"]] == [1, 1, 4, 4]
    assert [restart["region"] for restart in deployment["failures"][0]["restarts"]] == [2]
    assert deployment["costs"]["most_costly_edge"] == 1
    assert deployment["shortage"] is deployment["undecided"] is None


def test_nothing_is_added_where_nothing_is_asked(show: Any) -> None:
    assert "deployment" not in json.loads(show(ORDER, "--format", "json"))
    assert "Deployment" not in show(ORDER)


def test_batch_mode_says_what_it_does_not_know(show: Any) -> None:
    operators = [{key: value for key, value in o.items() if key != "parallelism"} for o in TWO_STAGES["operators"]]
    operators[2]["parallelism"] = 3
    job = TWO_STAGES | {"operators": operators}
    options = ("--task-managers", "2", "--slots", "2", "--schedule", "regions", "--fail", "write[9]")
    text = show(job, *options)
    assert "In batch mode Flink decides at run time, from the data, every parallelism that nobody set." in text
    assert "3.  count         parallelism 3" in text
    assert "each of which runs, fails and restarts as one: 1+2, 3+4" in text
    assert "at least 3 slots" in text
    assert "restarts, of count, Sink: write, and what reads that: nothing" in text
    assert "restarts, of Source: read, clean, and what reads that: count, Sink: write" in show(
        job, "--fail", "clean[1]"
    )
    known = json.loads(show(job, *options, "--format", "json"))["deployment"]
    assert known["placement"] is known["costs"] is None
    assert known["undecided"]["open"] == [0, 1, 3]
    assert [row["subtasks"] for row in known["schedule"]["executions"]] == [None] * 4


def test_the_projects_cluster_is_used_and_the_command_line_wins(show: Any, tmp_path: Path) -> None:
    settings = '[tool.plan.cluster]\ntask_managers = 2\nslots = 2\nnetwork_memory = "4mb"\n'
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    text = show(ORDER)
    assert "Deployment (2 task managers with 2 slots each; 4 of 4 slots used" in text
    assert "task manager 0 needs most: 210 buffers, 6.6 MiB, and has 128 buffers, 4 MiB" in text
    assert "too little network memory on 2 task managers: give each 6.6 MiB" in text
    assert "Deployment (4 task managers with 2 slots each; 4 of 8 slots used" in show(ORDER, "--task-managers", "4")


@pytest.mark.parametrize(
    ("stage", "options", "message"),
    [
        ("job", ["--slots", "2"], "belong to the physical stage, not to the job graph"),
        ("physical", ["--slots", "0"], "--slots"),
        ("physical", ["--spread", "packed"], "there is no cluster to spread over"),
        ("physical", ["--schedule", "laz"], "did you mean `lazy`?"),
        ("physical", ["--lose-task-manager"], "add --fail VERTEX[SUBTASK]"),
        ("physical", ["--fail", "3[1]", "--lose-task-manager"], "give a cluster that is large enough"),
        ("physical", ["--fail", "7[0]"], "there is no vertex '7'"),
    ],
)
def test_wrong_options_are_refused_with_the_next_step(show: Any, stage: str, options: list[str], message: str) -> None:
    assert message in show(ORDER, *options, code=2, stage=stage)
