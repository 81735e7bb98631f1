"""Every job of the corpus as every other version of Flink compiles it: each stage, ids and obstacles, or a refusal.

`versions/` holds the jobs whose plan differs from 2.3.0's; 1.19.3 and 1.20.5 differ from it in the same ones.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planner.errors import InternalError, PlanError
from planner.flink.differences import flink
from planner.flink.versions import NEWEST, VERSIONS
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import plan
from tests.conformance.test_conformance import CORPUS, corpus, differences

DIFFERING = {"1.18": ("1.18.1", 185), "1.19": ("1.20.5", 168), "1.20": ("1.20.5", 168)}
OTHERS = tuple(version for version in VERSIONS if version != NEWEST)


@cache
def differing(release: str) -> dict[str, dict[str, Any]]:
    path = Path(__file__).with_name("versions") / f"{release}.jsonl.xz"
    lines = lzma.decompress(path.read_bytes()).decode().splitlines()
    return {case["case"]: case for case in map(json.loads, lines)}


def cases(version: str, file: str) -> Iterator[tuple[dict[str, Any], Location]]:
    """The cases of one file as the version compiled them."""
    known = differing(DIFFERING[version][0]) if version in DIFFERING else {}
    for case, place in corpus():
        if place.file == file:
            yield known.get(case["case"], case), place


def mistakes(version: str, case: dict[str, Any], place: Location) -> list[str]:
    job = load_job_data(case["job"], place) if "plan" in case else None
    if job is not None:
        return list(differences(case["plan"], plan(job, flink=version).to_dict()))
    try:
        plan(load_job_data(case["job"], place), flink=version)
    except InternalError as error:
        return [f"internal error: {error}"]
    except PlanError as error:
        return [] if error.location else ["the refusal says no place"]
    return [f"planned, and Flink says {case['error']}"]


@pytest.mark.parametrize("file", CORPUS)
@pytest.mark.parametrize("version", OTHERS)
def test_every_stage_is_what_that_flink_made(version: str, file: str) -> None:
    found = {case["case"]: wrong for case, place in cases(version, file) if (wrong := mistakes(version, case, place))}
    assert not found, "\n".join(f"{case}: {wrong[:3]}" for case, wrong in list(found.items())[:10])


@pytest.mark.parametrize("version", DIFFERING)
def test_the_differing_jobs_are_whole_and_do_differ(version: str) -> None:
    release, count = DIFFERING[version]
    assert len(differing(release)) == count
    newest = {case["case"]: (case, place) for case, place in corpus()}
    same = [
        name
        for name, case in differing(release).items()
        if not mistakes(NEWEST, {**newest[name][0], "plan": case["plan"]}, newest[name][1])
    ]
    assert not same, "2.3 would pass these too, so they test nothing"


def test_a_wrong_profile_is_noticed() -> None:
    """1.19 has no profile of 1.18: at least one job of each other version tells two neighbours apart."""
    told_apart = sum(bool(mistakes("1.19", *one)) for one in cases("1.18", "batch.jsonl"))
    assert told_apart == 24
    assert flink("1.18") != flink("1.19") != flink("1.20") != flink("2.0")
