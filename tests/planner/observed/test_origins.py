"""Which operator feeds an exchange, and which ids are proven, from a job plan alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner.frontends.flink_export.documents import read_document
from planner.frontends.loading import load_job
from planner.observed.job import ObservedJob
from planner.observed.loading import load_observed, observe
from planner.pipeline import plan
from tests.support import flink_exports
from tests.support.flink_exports import job_plan_of

CORPUS = Path(__file__).parents[2] / "conformance/streaming.jsonl"


def wrong(job: ObservedJob, truth: dict[str, Any]) -> list[str]:
    """Exchanges whose origin, and operators whose id, Flink has otherwise."""
    ids = {node["id"]: node["operator_id"] for node in truth["nodes"]}
    feeding: dict[str, set[str]] = {}
    for edge in truth["edges"]:
        feeding.setdefault(ids[edge["target"]], set()).add(ids[edge["source"]])
    found = []
    for edge in job.edges:
        source = None if edge.source is None else job.operators[edge.source].operator_id
        target = job.operators[edge.target].operator_id
        if source is not None and target is not None and source not in feeding.get(target, ()):
            found.append(f"{source} does not feed {target}")
    known = set(ids.values())
    return found + [one.name for one in job.operators if one.operator_id is not None and one.operator_id not in known]


@pytest.mark.parametrize("name", flink_exports.planned())
def test_origins_and_ids_of_real_job_plans(name: str) -> None:
    job = load_observed(str(flink_exports.unpacked() / name / "jobplan.json"))
    assert wrong(job, flink_exports.read(f"{name}/truth.json")) == []


@pytest.mark.parametrize("name", flink_exports.graphs())
def test_origins_and_ids_of_job_plans_of_our_own(name: str) -> None:
    folder = flink_exports.unpacked_graphs() / name
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    assert wrong(load_observed(str(folder / "jobplan.json")), truth) == []


def test_origins_and_ids_of_hostile_job_plans(tmp_path: Path) -> None:
    path, found = tmp_path / "job.json", []
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if "plan" not in case:
            continue
        path.write_text(json.dumps(case["job"]), encoding="utf-8")
        job = observe(read_document(job_plan_of(plan(load_job(path), until="job")), "plan"))
        found += [f"{case['case']}: {one}" for one in wrong(job, case["plan"]["stream_graph"])]
    assert found == []


def test_most_origins_of_real_jobs_are_found() -> None:
    edges = [
        edge
        for name in flink_exports.planned()
        for edge in load_observed(str(flink_exports.unpacked() / name / "jobplan.json")).edges
    ]
    assert sum(edge.source is not None for edge in edges) > 0.9 * len(edges)
