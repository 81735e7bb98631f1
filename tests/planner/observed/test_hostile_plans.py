"""The jobs of the conformance corpus as Flink would export them: shared names, uids, unions, multi-input operators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.flink_export.documents import read_document
from planner.frontends.loading import load_job
from planner.observed.loading import observe
from planner.pipeline import Plan, plan
from tests.support.flink_exports import job_plan_of, stream_plan_of
from tests.support.verdict_checks import complaints

CORPUS = Path(__file__).parents[2] / "conformance"


def cases(file: str) -> list[dict[str, Any]]:
    lines = (CORPUS / file).read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if "plan" in case]


def compiled(case: dict[str, Any], folder: Path) -> Plan | None:
    path = folder / "job.json"
    path.write_text(json.dumps(case["job"]), encoding="utf-8")
    try:
        return plan(load_job(path), until="job")
    except JobDefinitionError:  # a lone surrogate, which JSON can write and YAML cannot read
        return None


@pytest.mark.parametrize("file", ["handmade.jsonl", "streaming.jsonl", "batch.jsonl"])
def test_no_answer_is_wrong(file: str, tmp_path: Path) -> None:
    found = []
    for case in cases(file):
        job = compiled(case, tmp_path)
        if job is None:
            continue
        truth = case["plan"]["stream_graph"]
        stream = read_document(stream_plan_of(job), "stream plan")
        both = stream.beside(read_document(job_plan_of(job), "job plan"))
        for export in (stream, both):
            found += [f"{case['case']}: {complaint}" for complaint in complaints(observe(export), truth)]
    assert found == []


def test_operators_that_share_one_name_are_told_apart_or_left_open(tmp_path: Path) -> None:
    found = []
    for case in cases("handmade.jsonl") + cases("batch.jsonl")[:40]:
        job = compiled(case, tmp_path)
        if job is None:
            continue
        stream = read_document(stream_plan_of(job, alike=True), "stream plan")
        both = stream.beside(read_document(job_plan_of(job, alike=True), "job plan"))
        found += complaints(observe(both), case["plan"]["stream_graph"])
    assert [complaint for complaint in found if not complaint.endswith("undecided")] == []
    assert len(found) <= 20
