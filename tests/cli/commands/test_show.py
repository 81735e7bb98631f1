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
Deployment (2 task managers with 2 slots each; 4 of 4 slots used, load balance none)
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
Failure of count[0] with task manager 1: 4 subtasks in 1 region restart, 4 do not
  region 2  failed  count[0-1], Sink: write[0-1]
  kept, read once more:  clean[0-1] for count
"""
RUNNABLE = TWO_STAGES | {"options": {"jobmanager.scheduler": "Default"}}  # pipelined exchanges in batch mode

WIDE = """\
  task managers 0-4999  slot 0  v1[0,2,..,9998], v2[0,2,..,9998], """


def test_a_placement_and_a_timeline(show: Any) -> None:
    text = show(ORDER, "--task-managers", "2", "--slots", "2", "--load-balance", "none", "--schedule", "lazy")
    assert PLACED in text
    assert TIMELINE in text
    assert "6.  6 -> Sink: Print to Std. Out  0-3               7          8        9  5 RUNNING, 4 RUNNING\n" in text


def test_a_failure_with_its_task_manager(show: Any) -> None:
    options = ("--task-managers", "2", "--slots", "4", "--load-balance", "slots")
    text = show(RUNNABLE, *options, "--fail", "count[0]", "--lose-task-manager")
    assert FAILED in text
    assert "4 subtasks downstream, which keep their first attempt" in show(RUNNABLE, "--fail", "read[1]")


def test_a_pipelined_exchange_in_batch_mode_is_refused_as_flinks_scheduler_does(show: Any) -> None:
    text = show(TWO_STAGES, "--task-managers", "2", "--slots", "4", code=2)
    assert "the exchange from Source: read to clean is pipelined, and Flink would not start the job" in text
    assert "jobmanager.scheduler: Default" in text


def test_too_few_slots_say_what_starts_what_waits_and_what_would_fit(
    show: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["show", ORDER, "--stage", "physical", "--task-managers", "1", "--slots", "3", "--schedule", "eager"]
    assert main(call) == 2
    text = capsys.readouterr().out
    assert "stays SCHEDULED:  Source: 1[0-3], Source: 2[0-3]" in text
    assert 'Flink says "Could not acquire the minimum required resources."' in text
    assert "  1. Source: 1[0-3]                     .s\n" in text, "nothing runs"
    assert "too few slots, 4 required and 3 offered (1 task manager with 3 slots): 1 missing" in text
    assert f"see plan explain {ORDER} --set job.parallelism=3" in text


@pytest.mark.parametrize("mode", ["none", "slots"])
def test_a_large_cluster_is_folded(show: Any, mode: str) -> None:
    cluster = ("--task-managers", "5000", "--slots", "2", "--load-balance", mode)
    text = show(wide(10_000), *cluster, "--schedule", "regions", "--fail", "2[7]")
    assert WIDE in text
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
    document = json.loads(show(RUNNABLE, *options))
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
    job = RUNNABLE | {"operators": operators}
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
    assert "task manager 0 takes most, in this placement: 100 to start, 320 to run well (3.1 MiB, 10 MiB)" in text
    assert "it has 128 (4 MiB): it starts, but has fewer than it wants; set taskmanager.memory.network.min" in text
    (tmp_path / "pyproject.toml").write_text(settings.replace("4mb", "2mb"), encoding="utf-8")
    assert "it has 64 (2 MiB): too few, the job does not start; set taskmanager.memory.network.min" in show(ORDER)
    assert "Deployment (4 task managers with 2 slots each; 4 of 8 slots used" in show(ORDER, "--task-managers", "4")


def test_spread_is_an_older_name(show: Any, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["show", ORDER, "--stage", "physical", "--task-managers", "4", "--slots", "2", "--spread", "evenly"]
    assert main(call) == 0
    printed = capsys.readouterr()
    assert "load balance slots" in printed.out
    assert "--spread evenly is now --load-balance slots" in printed.err
    assert "contradict each other" in show(ORDER, *call[4:], "--load-balance", "tasks", code=2)


def test_a_seed_shows_another_possible_placement(show: Any) -> None:
    options = ("--task-managers", "2", "--slots", "2")
    first, other = show(ORDER, *options), show(ORDER, *options, "--seed", "1")
    assert "one possible placement: certain is how many slots each task manager gives (2, 2)" in first
    assert first != other
    assert show(ORDER, *options, "--seed", "1") == other
    forward = {"parallelism": 4, "operators": [{"id": "s", "type": "source"}, {"id": "m", "type": "map", "input": "s"}]}
    assert "Flink places the slots like this in every run" in show(forward, *options)


def test_load_balance_modes_belong_to_versions(show: Any) -> None:
    options = ("--task-managers", "2", "--slots", "2", "--load-balance", "tasks")
    assert "Flink 2.1 does not know it" in show(ORDER, *options, "--flink", "2.1", code=2)


@pytest.mark.parametrize(
    ("stage", "options", "message"),
    [
        ("job", ["--slots", "2"], "belong to the physical stage, not to the job graph"),
        ("physical", ["--slots", "0"], "--slots"),
        ("physical", ["--load-balance", "slots"], "there is no cluster to place slots on"),
        ("physical", ["--schedule", "laz"], "did you mean `lazy`?"),
        ("physical", ["--lose-task-manager"], "add --fail VERTEX[SUBTASK]"),
        ("physical", ["--fail", "3[1]", "--lose-task-manager"], "give a cluster that is large enough"),
        ("physical", ["--fail", "7[0]"], "there is no vertex '7'"),
    ],
)
def test_wrong_options_are_refused_with_the_next_step(show: Any, stage: str, options: list[str], message: str) -> None:
    assert message in show(ORDER, *options, code=2, stage=stage)
