"""Every job of the corpus, planned here and compared with what real Flink 2.3.0 made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planner.errors import InternalError, PlanError
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import STAGES, plan

CORPUS = {"handmade.jsonl": 101, "streaming.jsonl": 300, "batch.jsonl": 80}
STAGE_OF_KEY = {"stream_graph": "stream", "job_graph": "job", "execution_graph": "execution", "physical": "physical"}


def corpus() -> Iterator[tuple[dict[str, Any], Location]]:
    """The cases with the line each stands on."""
    for name in CORPUS:
        path = Path(__file__).with_name(name)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            yield json.loads(line), Location(file=name, line=number)


CASES = [pytest.param(case, place, id=case["case"]) for case, place in corpus()]
ACCEPTED = [param for param in CASES if "plan" in param.values[0]]
REFUSED = [param for param in CASES if "error" in param.values[0]]


def differences(expected: Any, found: Any, path: str = "") -> Iterator[str]:
    """Every place where `found` lacks or contradicts `expected`; keys that only `found` has are fine."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if key in found:
                yield from differences(value, found[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}: missing"
    elif isinstance(expected, list) and isinstance(found, list | tuple):
        if len(expected) != len(found):
            yield f"{path}: {len(found)} entries, Flink has {len(expected)}"
        for index, (theirs, ours) in enumerate(zip(expected, found, strict=False)):
            yield from differences(theirs, ours, f"{path}[{index}]")
    elif type(expected) is not type(found) or expected != found:
        yield f"{path}: {found!r}, Flink has {expected!r}"


@pytest.mark.parametrize(("case", "place"), ACCEPTED)
def test_every_stage_is_what_flink_made(case: dict[str, Any], place: Location) -> None:
    document = plan(load_job_data(case["job"], place)).to_dict()
    found = list(differences(case["plan"], document))
    assert not found, "\n".join(found[:20])


@pytest.mark.parametrize(("case", "place"), REFUSED)
def test_what_flink_refuses_is_refused(case: dict[str, Any], place: Location) -> None:
    with pytest.raises(PlanError) as refusal:
        plan(load_job_data(case["job"], place))
    assert not isinstance(refusal.value, InternalError)
    assert refusal.value.location, "a refusal says where"
    assert refusal.value.hint or "must be" in refusal.value.message, "a refusal says what to do"


@pytest.mark.parametrize(("case", "place"), ACCEPTED[::20])
def test_stopping_early_gives_the_same_stages(case: dict[str, Any], place: Location) -> None:
    job = load_job_data(case["job"], place)
    whole = plan(job).to_dict()
    for stage in STAGES:
        document = plan(job, until=stage).to_dict()
        for key, name in STAGE_OF_KEY.items():
            if STAGES.index(name) <= STAGES.index(stage):
                assert document[key] == whole[key], (stage, key)
            else:
                assert document.get(key) is None, (stage, key)


def test_the_corpus_is_whole() -> None:
    counts = {name: sum(place.file == name for _, place in corpus()) for name in CORPUS}
    assert counts == CORPUS
    assert len(REFUSED) > 10


def test_a_wrong_field_is_noticed() -> None:
    plan_of_flink = {"a": [{"b": 1, "c": True}], "d": None}
    assert list(differences(plan_of_flink, {"a": [{"b": 1, "c": True, "more": 2}], "d": None})) == []
    assert list(differences(plan_of_flink, {"a": [{"b": 1, "c": 1}], "d": None})) == [".a[0].c: 1, Flink has True"]
    assert list(differences(plan_of_flink, {"a": [], "d": None})) == [".a: 0 entries, Flink has 1"]
    assert list(differences(plan_of_flink, {"a": [{"b": 1, "c": True}]})) == [".d: missing"]
