"""Exports of the Flink that is installed now: the same promises as for the recorded ones."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cli.app import main
from planner.frontends.loading import load_job
from planner.observed.judgement import decide
from planner.observed.loading import load_observed
from planner.pipeline import plan
from tests.real_flink.conftest import wait_for

pytestmark = pytest.mark.flink


@pytest.fixture(scope="module")
def exports(flink: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("exports")
    subprocess.run([*flink, "ExportCorpus", str(folder)], check=True, capture_output=True)
    return sorted(folder.iterdir())


def test_exported_graphs_are_planned_as_flink_plans_them(exports: list[Path]) -> None:
    assert len(exports) == 18
    for folder in exports:
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        compiled = plan(load_job(folder / "export.json"), until="job")
        assert compiled.operator_ids == {node["id"]: node["operator_id"] for node in truth["nodes"]}, folder.name
        assert compiled.job_graph is not None
        assert [(vertex.id, vertex.parallelism) for vertex in compiled.job_graph.vertices] == [
            (vertex["id"], vertex["parallelism"]) for vertex in truth["vertices"]
        ], folder.name


def test_chains_and_ids_of_both_plans_are_flinks_own(exports: list[Path]) -> None:
    for folder in exports:
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        vertex = {node["id"]: node["vertex"] for node in truth["nodes"]}
        ids = {node["id"]: node["operator_id"] for node in truth["nodes"]}
        job = load_observed(str(folder / "streamplan.json"), str(folder / "jobplan.json"))
        for edge, verdict in zip(job.edges, decide(job), strict=True):
            assert edge.source is not None
            ends = job.operators[edge.source].id, job.operators[edge.target].id
            assert verdict.chained == (vertex[ends[0]] == vertex[ends[1]]), (folder.name, ends)
        told = [operator for operator in job.operators if operator.operator_id is not None]
        assert all(operator.operator_id == ids[operator.id] for operator in told), folder.name


def test_three_running_jobs_are_explained(
    cluster: tuple[Path, dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, jobs = cluster
    assert len(jobs) == 3
    plans = {"slow": "slow.json", "groups": "groups.json"}
    for name, address in jobs.items():
        beside = str(folder / plans.get(name, "query.txt"))
        assert main(["explain", address, "--plan", beside, "--live", "--format", "json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert all(edge["certainty"] != "expected" for edge in document["edges"])
        assert all(vertex["subtasks"] for vertex in document["live"]["vertices"])
    assert main(["explain", jobs["groups"], "--plan", str(folder / "groups.json")]) == 0
    assert "CH003 different-slot-sharing-group: different slot sharing groups" in capsys.readouterr().out


def test_records_pile_up_in_front_of_the_slow_operator(
    cluster: tuple[Path, dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    def told() -> bool:
        assert main(["explain", cluster[1]["slow"], "--live"]) == 0
        return "upstream of slow lookup, which is busy" in capsys.readouterr().out

    wait_for(told)  # Flink measures over some seconds


def test_a_running_job_drifts_only_from_another_plan(
    cluster: tuple[Path, dict[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, jobs = cluster
    for name in ("slow", "groups"):
        assert main(["diff", str(folder / f"{name}-graph.json"), jobs[name], "--exit-code"]) == 0
        assert main(["diff", str(folder / f"{name}.json"), jobs[name], "--exit-code"]) == 0
    assert main(["save", jobs["slow"], "-o", str(tmp_path / "saved")]) == 0
    assert main(["diff", str(tmp_path / "saved"), jobs["slow"], "--exit-code"]) == 0
    assert main(["diff", str(folder / "slow-graph.json"), jobs["groups"], "--exit-code"]) == 1
    capsys.readouterr()
