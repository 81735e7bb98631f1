"""Jobs with what the given corpus lacks: empty names, co-location, windows, unions of unions, nested partitions.

`further.jsonl.xz` holds one job a line with what real Flink 2.3.0 made of it, and what 1.20.5 and 1.18.1 made of it
where that differs; which edges read one intermediate data set is part of it.
"""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planner.errors import InternalError, PlanError
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import plan
from tests.conformance.test_conformance import differences

RELEASES = {"1.18": ("1.18.1", "1.20.5"), "1.19": ("1.20.5",), "1.20": ("1.20.5",), "2.0": (), "2.3": ()}
JOBS = 273


@cache
def jobs() -> list[dict[str, Any]]:
    packed = Path(__file__).with_name("further.jsonl.xz").read_bytes()
    return [json.loads(line) for line in lzma.decompress(packed).decode().splitlines()]


def answer(case: dict[str, Any], version: str) -> dict[str, Any]:
    """What a version of Flink made of a job: the nearest release that is written down."""
    found: dict[str, Any] = next((case[release] for release in RELEASES[version] if release in case), case["2.3.0"])
    return found


def data_sets(edges: list[dict[str, Any]]) -> list[int]:
    """The data sets that edges read, numbered as they are met."""
    seen: dict[int, int] = {}
    return [seen.setdefault(edge["data_set"], len(seen)) for edge in edges]


def mistakes(case: dict[str, Any], version: str) -> list[str]:
    flink = answer(case, version)
    try:
        found = plan(load_job_data(case["job"], Location(file="further", line=1)), flink=version).to_dict()
    except InternalError as error:
        return [f"internal error: {error}"]
    except PlanError as error:
        return [f"refused: {error}"] if "plan" in flink else []
    if "error" in flink:
        return [f"planned, and Flink says {flink['error']}"]
    shared = flink["data_sets"] == data_sets(found["job_graph"]["edges"])
    return [*differences(flink["plan"], found), *([] if shared else ["other data sets"])]


@pytest.mark.parametrize("version", RELEASES)
def test_every_stage_is_what_that_flink_made(version: str) -> None:
    found = {case["case"]: wrong for case in jobs() if (wrong := mistakes(case, version))}
    assert not found, "\n".join(f"{case}: {wrong[:3]}" for case, wrong in list(found.items())[:10])


def test_the_corpus_is_whole() -> None:
    refused = sum("error" in answer(case, "2.3") for case in jobs())
    sharing = sum(len(sets) != len(set(sets)) for case in jobs() if (sets := answer(case, "2.3").get("data_sets")))
    assert len(jobs()) == JOBS
    assert min(refused, sharing) > 20
    assert sum("1.18.1" in case for case in jobs()) > 10
    assert sum("1.20.5" in case for case in jobs()) > 50
