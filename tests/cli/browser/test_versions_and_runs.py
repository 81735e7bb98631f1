"""The page with another version of the job, and with the figures of a run; the run's own report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.app import main
from cli.render.text.changes import MEANINGS
from cli.run_report_files import write_report
from planner.diff.changes import LEVELS
from planner.frontends.loading import load_job
from planner.pipeline import plan
from tests.cli.browser.conftest import Opened

OLD = """
name: readings
parallelism: 2
operators:
  - {id: lines, type: source, uid: lines}
  - {id: clean, type: map, input: lines, name: Clean}
  - {id: dedupe, type: filter, input: clean, name: "Dedupe <b>"}
  - {id: total, type: sum, input: dedupe, key_by: k, field: v, name: Total}
  - {id: audit, type: process, input: dedupe, name: Audit}
  - {id: out, type: print, input: total}
"""
NEW = """
name: readings
parallelism: 2
operators:
  - {id: lines, type: source, uid: lines}
  - {id: clean, type: map, input: lines, name: Clean, parallelism: 4}
  - {id: enrich, type: map, input: clean, name: Enrich}
  - {id: total, type: sum, input: enrich, key_by: k, field: v, name: Total}
  - {id: out, type: print, input: total}
  - {id: late, type: sink, input: total, name: Late}
"""


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory, render: Callable[..., Path]) -> Path:
    old = tmp_path_factory.mktemp("old") / "old.yaml"
    old.write_text(OLD, encoding="utf-8")
    return render(NEW, "--diff", str(old))


def test_changes_are_listed_the_gravest_first(open_page: Callable[..., Opened], compared: Path) -> None:
    shown = open_page(compared).panel()
    levels = [f"{level} {MEANINGS[level]}" for level in LEVELS]
    places = [shown.index(words) for words in levels]
    assert places == sorted(places) and "2 state-breaking" in shown
    assert "Enrich (enrich) was added" in shown  # a change of the result
    assert "Audit (audit) was removed" in shown and "Clean (clean): parallelism 2 -> 4" in shown


def test_added_removed_and_changed_parts_are_marked(open_page: Callable[..., Opened], compared: Path) -> None:
    found = open_page(compared)
    drawn = " ".join(found.page.locator("section:not([hidden])").inner_text().split())
    assert "+ Enrich" in drawn and "~ Clean" in drawn and "− Dedupe <b>" in drawn
    assert "was FORWARD, chained" in drawn  # lines -> Clean
    assert "~ Total" in drawn and "~ Sink: Print" not in drawn  # an id that moved without state is no mark
    found.tab("Stream graph")
    assert "Audit" in found.page.locator("section:not([hidden])").inner_text()
    found.shape("n5", "stream").click()
    assert "changed since" in found.panel() and "a restored job would lose its keyed state" in found.panel()


def test_the_same_job_has_no_changes(
    open_page: Callable[..., Opened], render: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "same.yaml").write_text(OLD, encoding="utf-8")
    found = open_page(render(OLD, "--diff", str(tmp_path / "same.yaml")))
    assert "None: the plans are the same." in found.panel()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-f", "svg", "--diff", "job.yaml"), "marks changes in a page"),
        (("-f", "html", "--diff", "nothing.yaml"), "nothing.yaml"),
        (("-f", "html", "--run", "nobody"), "no report of a run"),
        (("-f", "html", "--run", "job.yaml"), "not the report of a run"),
        (("-f", "html", "--run", "other.json"), "not a run of this job"),
        (("-f", "html", "--run", "torn.json"), "not the report of a run"),
    ],
)
def test_what_does_not_fit_is_one_message(
    options: tuple[str, ...],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(OLD, encoding="utf-8")
    Path("torn.json").write_text('{"id": "x", "state": "FINISHED", "vertices": [{"id": 3}]}', encoding="utf-8")
    vertex: dict[str, Any] = {"vertex": 0, "id": "0" * 32, "name": "another", "operators": [], "subtasks": []}
    vertex |= {"parallelism": 1, "state": "FINISHED", "attempt": 1, "attempts": 1}
    Path("other.json").write_text(json.dumps({"id": "x", "state": "FINISHED", "vertices": [vertex]}), encoding="utf-8")
    assert main(["render", "job.yaml", "-o", "page.out", *options]) == 2
    assert words in capsys.readouterr().err
    assert not Path("page.out").exists()


def batch(number: int, vertices: int) -> dict[str, Any]:
    """What a stream says of one of its batches."""
    figures = {"records_in": 500, "records_out": 40, "late": 3, "watermark": 1_000_000, "keys": 12, "bytes": 4096}
    return {
        "batch": number, "ended": 5.0, "seconds": 2.0, "backlog": [["lines", "9 files"]],
        "vertices": [{"vertex": at, "name": "a task", **figures} for at in range(vertices)],
    }  # fmt: skip


def report(job: Path) -> dict[str, Any]:
    """What a run of the job may have reported: the second task is the slow one."""
    compiled = plan(load_job(str(job)))
    assert compiled.job_graph is not None
    vertices = []
    for position, vertex in enumerate(compiled.job_graph.vertices):
        subtasks = [
            {"subtask": at, "stage": 1, "attempt": at, "host": f"host-{at}", "started": 10.0, "seconds": position + 0.5}
            for at in range(vertex.parallelism)
        ]
        operators = [
            {"node": node, "key": f"k{node}", "name": "<i>x</i>", "records_in": 10 * node, "records_out": 20000 + node}
            for node in vertex.nodes
        ]
        vertices.append(
            {
                "vertex": position, "id": vertex.id, "name": vertex.name, "parallelism": vertex.parallelism,
                "state": "FINISHED", "attempt": 1, "stages": [1], "attempts": 2, "operators": operators,
                "subtasks": subtasks, "shuffle_read": 2048, "shuffle_write": 0, "seconds": position + 0.5, "skew": 1.5,
                "hosts": ["host-0", "host-1"],
            }
        )  # fmt: skip
    return {
        "id": "20261117-000000-abcd", "name": "readings", "state": "FINISHED", "message": None, "master": "local[2]",
        "mode": "streaming", "application": None, "attempt": 1, "submitted": 1.0, "started": 2.0, "ended": 5.0,
        "seconds": 3.0, "vertices": vertices, "sinks": [],
        "batches": [batch(7, len(vertices)), batch(8, len(vertices))],
    }  # fmt: skip


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    (folder / "job.yaml").write_text(NEW, encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(report(folder / "job.yaml")), encoding="utf-8")
    options = ["-o", str(folder / "page.html"), "--run", str(folder / "report.json")]
    assert main(["render", str(folder / "job.yaml"), *options]) == 0
    return folder


def test_a_run_has_its_figures_on_every_task_operator_and_edge(open_page: Callable[..., Opened], ran: Path) -> None:
    found = open_page(ran / "page.html")
    shown = found.panel()
    assert "Run 20261117-000000-abcd" in shown and "20 001 records" in drawn_in(found)
    assert "1.5 s, skew 1.5, 2 attempts" in drawn_in(found)
    found.shape("c1", "job").click()
    shown = found.panel()
    for words in ("time\t1.5 s", "attempts\t2", "hosts\thost-0, host-1", "2 KiB read"):
        assert words in shown
    found.page.evaluate("location.hash = '#stage=execution&subtask=2:1'")
    found.page.get_by_role("heading", name="Subtask 1 of task 2").wait_for()
    assert "1.5 s, attempt 2, on host-1" in found.panel()


def drawn_in(found: Opened) -> str:
    return " ".join(found.page.locator("section:not([hidden])").inner_text().split())


def test_a_stream_has_its_latest_figures(open_page: Callable[..., Opened], ran: Path) -> None:
    found = open_page(ran / "page.html")
    assert "2 in the report, the last is no. 8" in found.panel() and "backlog of lines\t9 files" in found.panel()
    assert "250 records/s in, 6 late, 12 keys" in drawn_in(found)
    found.shape("c0", "job").click()
    for words in ("250 records/s in, 20 records/s out", "12 keys, 4 KiB", "1970-01-01 00:16:40 UTC"):
        assert words in found.panel()


def test_hot_tasks_are_coloured_by_their_time(open_page: Callable[..., Opened], ran: Path) -> None:
    found = open_page(ran / "page.html")
    colours = found.page.evaluate(
        "[0, 3].map((at) => document.querySelector(`#job-c${at} > path`).getAttribute('fill'))"
    )
    from cli.render.pictures.palette import THEMES

    heat = THEMES["light"].heat
    assert heat.index(colours[0]) < heat.index(colours[1]) == len(heat) - 1


def test_the_report_of_a_run_has_the_same_look_and_leads_to_the_page(
    open_page: Callable[..., Opened], ran: Path
) -> None:
    target = ran / "my report.html"
    write_report(target, report(ran / "job.yaml"), plan(load_job(str(ran / "job.yaml"))))
    found = open_page(target, color_scheme="dark")
    assert found.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert "<i>x</i> (k1)" in found.page.locator("main").inner_text()
    assert found.page.locator(".bars rect").count() == 10
    assert "2 batches, over time" in found.page.locator("main").inner_text()
    assert "3.0 s\nin all" in found.page.locator(".tiles").inner_text()
    task = found.page.get_by_role("link", name="2. Clean", exact=True)
    assert task.get_attribute("href") == "my%20report-plan.html#task=2"
    assert found.page.locator(".figures .heat-4").last.inner_text() == "3.5 s"  # the longest
    link = found.page.get_by_role("link", name="The plan with these figures")
    assert link.get_attribute("href") == "my%20report-plan.html"
    page = open_page(ran / "my report-plan.html")
    assert "Run 20261117-000000-abcd" in page.panel()
