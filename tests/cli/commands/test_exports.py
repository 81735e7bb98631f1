"""Commands on what Flink says about a job."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from cli.app import main
from tests.support import flink_exports
from tests.support.fake_cluster import fake_cluster, recorded_answers

NAME = "rest/2.3/tuned-heavy-alone"


def path(name: str) -> str:
    return str(flink_exports.unpacked() / name)


@pytest.fixture
def cluster_address() -> object:
    with fake_cluster(recorded_answers(flink_exports.unpacked() / NAME)) as cluster:
        yield cluster.address


@pytest.mark.parametrize("name", flink_exports.planned())
def test_the_json_that_is_checked_from_outside(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", path(f"{name}/streamplan.json"), "--format", "json"]) == 0
    alone = json.loads(capsys.readouterr().out)
    beside = ["--job-plan", path(f"{name}/jobplan.json"), "--format", "json"]
    assert main(["explain", path(f"{name}/streamplan.json"), *beside]) == 0
    both = json.loads(capsys.readouterr().out)
    nodes = flink_exports.read(f"{name}/streamplan.json")["nodes"]
    ends = {(before["id"], node["id"]) for node in nodes for before in node.get("predecessors", ())}
    for document in (alone, both):
        assert {operator["id"] for operator in document["operators"]} == {node["id"] for node in nodes}
        assert {(edge["source"], edge["target"]) for edge in document["edges"]} == ends
        assert {edge["certainty"] for edge in document["edges"]} <= {"certain", "one of", "expected"}
        assert all(
            isinstance(edge["reasons"], list) and isinstance(edge["possible"], list) for edge in document["edges"]
        )
    assert all(operator["operator_id"] is None for operator in alone["operators"])
    assert all(edge["chained"] in (True, False) and edge["certainty"] != "expected" for edge in both["edges"])


def test_stdin_is_a_dash(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    content = Path(path("text/flink-info-TopSpeedWindowing.txt")).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["explain", "-"]) == 0
    printed = capsys.readouterr().out
    assert "expected: chained" in printed
    assert "certain: not chained" in printed


def test_text_says_every_hidden_condition_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", path("2.3/tuned-heavy-alone/streamplan.json")]) == 0
    printed = capsys.readouterr().out
    assert printed.count("CH003") == 1
    assert "Never" not in printed


def test_one_edge_with_all_conditions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", path(NAME), "--edge", "model:format"]) == 0
    printed = capsys.readouterr().out
    assert all(f"CH{number:03}" in printed for number in range(1, 13))
    assert main(["explain", path(NAME), "--edge", "model:nothing"]) == 2
    assert "there is no operator 'nothing'" in capsys.readouterr().err


def test_a_running_job_with_live_figures(cluster_address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", cluster_address, "--live"]) == 0
    printed = capsys.readouterr().out
    assert "Live figures (RUNNING" in printed
    assert "Records pile up nowhere" in printed
    assert main(["explain", cluster_address, "--live", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["live"]["vertices"]) == 3
    assert main(["explain", cluster_address, "--live", "--format", "markdown"]) == 0
    assert "Records pile up nowhere" in capsys.readouterr().out
    assert main(["explain", cluster_address, "--live", "--edge", "a:b"]) == 2
    assert "--live shows the whole job" in capsys.readouterr().err


def test_a_saved_folder_is_as_good_as_the_cluster(
    cluster_address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "saved"
    assert main(["save", cluster_address, "-o", str(folder)]) == 0
    assert main(["explain", str(folder), "--format", "json"]) == 0
    saved = json.loads(capsys.readouterr().out)
    assert main(["explain", cluster_address, "--format", "json"]) == 0
    running = json.loads(capsys.readouterr().out)
    assert saved == running
    assert main(["diff", str(folder), cluster_address, "--exit-code"]) == 0
    assert "no drift" in capsys.readouterr().out
    assert not any("config" in name.name and "checkpoints" not in name.name for name in folder.rglob("*"))
    assert main(["save", cluster_address, "-o", str(folder)]) == 2
    assert "already there" in capsys.readouterr().err


def test_a_failed_save_leaves_nothing_behind(tmp_path: Path) -> None:
    with fake_cluster({}) as cluster:
        assert main(["save", f"{cluster.address}/jobs/{'0' * 32}", "-o", str(tmp_path / "saved")]) == 2
    assert list(tmp_path.iterdir()) == []


def test_drift_exits_with_one_only_when_asked(cluster_address: str, capsys: pytest.CaptureFixture[str]) -> None:
    other = path("rest/1.20/tuned-slot-groups")
    assert main(["diff", other, cluster_address]) == 0
    assert main(["diff", other, cluster_address, "--exit-code", "--format", "json"]) == 1
    printed = capsys.readouterr().out
    document = json.loads(printed[printed.index("{") :])
    assert document["same"] is False
    assert document["state"] is True
    assert document["reviews"][0]["verdict"] == "state-breaking"
    assert main(["diff", other, cluster_address, "--fail-on", "state-breaking", "--format", "markdown"]) == 1
    printed = capsys.readouterr().out
    assert "Compared are chains, ids, parallelism, max parallelism, ship strategies, slots." in printed
    assert "is planned and does not run" in printed and "```mermaid" in printed


def test_two_plans_of_different_jobs_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    beside = ["--job-plan", path("2.3/AsyncIO/jobplan.json")]
    assert main(["explain", path("2.3/SideOutput/streamplan.json"), *beside]) == 2
    assert "are not of the same job" in capsys.readouterr().err


def test_options_that_need_the_job_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", path("2.3/AsyncIO/streamplan.json"), "--set", "job.chaining=false"]) == 2
    assert "--set needs a job file" in capsys.readouterr().err
    graph = str(flink_exports.unpacked_graphs() / "2.3/uids/export.json")
    assert main(["explain", graph, "--set", "job.chaining=false"]) == 2
    assert main(["explain", path("2.3/AsyncIO/streamplan.json"), "--live"]) == 2


def test_an_unreachable_cluster_is_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    with fake_cluster({}) as cluster:
        address = cluster.address
    assert main(["explain", address]) == 2
    assert "refuses the connection" in capsys.readouterr().err


@pytest.mark.parametrize("name", [*flink_exports.planned()[:6], NAME])
def test_every_stage_of_every_export_is_printed_and_drawn(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [path(name)] if name == NAME else [path(f"{name}/streamplan.json"), path(f"{name}/jobplan.json")]
    for file in files:
        for stage in ("stream", "job", "all"):
            assert main(["show", file, "--stage", stage]) == 0
        assert main(["show", file, "--format", "json"]) == 0
        assert main(["order", file]) == 0
        assert main(["order", file, "--format", "json"]) == 0
        for stage in ("stream", "job"):
            assert main(["render", file, "--stage", stage, "-o", str(tmp_path / "job.dot")]) == 0
            assert main(["render", file, "--stage", stage, "-o", str(tmp_path / "job.mmd")]) == 0
        assert main(["lint", file]) == 0
    assert "skipped PL101" in capsys.readouterr().err


def test_hot_vertices_are_coloured(cluster_address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "job.dot"
    assert main(["render", cluster_address, "-o", str(target)]) == 0
    assert "backpressured 0%" in target.read_text(encoding="utf-8")


def test_a_finished_job_has_no_load_to_draw(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", path("rest/2.3/nexmark-q20-batch"), "-f", "dot"]) == 0
    shown = capsys.readouterr().out
    assert "parallelism 2" in shown and "busy" not in shown and "?" not in shown


@pytest.mark.parametrize("stage", ["execution", "physical"])
def test_stages_that_no_export_has_are_refused(stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", path("2.3/AsyncIO/jobplan.json"), "--stage", stage]) == 2
    assert main(["render", path("2.3/AsyncIO/jobplan.json"), "--stage", stage, "-f", "dot"]) == 2
    assert f"has no {stage} graph" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["2.3/nexmark-q5/streamplan.json", "2.3/WindowJoin/jobplan.json", NAME])
def test_a_page_and_markdown_say_what_is_not_known(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", path(name), "-f", "html"]) == 0
    page = capsys.readouterr().out
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    settings = {(data["texts"][row[0]], data["texts"][row[1]]) for one in data["operators"] for row in one["settings"]}
    assert {("uid", "not known"), ("chaining strategy", "not known")} <= settings
    assert data["observed"] and data["execution"] is None
    assert {one["state"] for one in data["operators"]} == {None}
    assert all(edge["verdict"] == "chained" or edge["obstacles"] or edge["open"] for edge in data["edges"])
    assert main(["explain", path(name), "--format", "markdown"]) == 0
    told = capsys.readouterr().out
    assert "```mermaid" in told and "certain: not chained" in told
    assert "leave it" not in told and "no setting of the job" not in told


def test_the_order_is_source_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", path("2.3/nexmark-q5/jobplan.json"), "--format", "json"]) == 0
    order = json.loads(capsys.readouterr().out)["order"]
    assert all(source < placed["position"] for placed in order for source in placed["inputs"])
    assert [len(placed["inputs"]) for placed in order] == [0, 1, 1, 2]


def test_rules_whose_facts_exist_find_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = "[tool.plan.lint]\nmax_channels = 3\n[tool.plan.cluster]\ntask_managers = 1\nslots = 1\n"
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["lint", path("rest/1.20/tuned-slot-groups"), "--format", "json"]) == 1
    captured = capsys.readouterr()
    assert {finding["code"] for finding in json.loads(captured.out)["findings"]} == {"PL104", "PL106"}
    assert "PL106" not in captured.err
    assert main(["lint", path("2.3/tuned-slot-groups/streamplan.json"), "--select", "PL106"]) == 0
    assert "skipped PL106" in capsys.readouterr().err


def test_exports_and_job_files_are_linted_together(capsys: pytest.CaptureFixture[str]) -> None:
    job = str(Path(__file__).parents[3] / "samples/word_count/job.py")
    alone = main(["lint", job])
    capsys.readouterr()
    assert main(["lint", path("2.3/AsyncIO/jobplan.json"), job, "--format", "json"]) == alone
    assert json.loads(capsys.readouterr().out)["summary"]["files"] == 2
    assert main(["lint", path("2.3/AsyncIO/jobplan.json"), "--update-baseline"]) == 2
    assert "compare it with plan diff OLD NEW" in capsys.readouterr().err


def test_lint_of_an_export_in_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", path("2.3/WindowJoin/jobplan.json"), "--format", "markdown"]) == 0
    printed = capsys.readouterr().out
    assert "WindowJoin/jobplan.json" in printed and "PL101" in printed
