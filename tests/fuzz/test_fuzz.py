"""Some random jobs of fixed seeds, in every way they can run. More of them: `python -m tests.fuzz --jobs 2000`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.description import Job
from tests.fuzz.generation import random_job
from tests.fuzz.model import expected
from tests.fuzz.running import WAYS, run
from tests.fuzz.shrinking import shrunk

OFF_SPARK = [name for name, way in WAYS.items() if not way.spark]
ON_SPARK = {
    200: "batch", 203: "script", 204: "batch unchained", 207: "stream", 209: "script in batch mode",
    31000043: "batch", 31000016: "batch unchained", 31000024: "batch",
}  # fmt: skip
SEEDS = [*range(8), *range(50_000_000, 50_000_012), *range(60_000_000, 60_000_008)]  # what is generated since, too


@pytest.mark.parametrize("seed", SEEDS)
def test_the_workers_give_what_the_model_gives(seed: int) -> None:
    for name in OFF_SPARK:
        outcome = run(random_job(seed), WAYS[name])
        assert not outcome.is_fault, f"{name}: {outcome.message}"


@pytest.mark.spark
@pytest.mark.parametrize(("seed", "name"), ON_SPARK.items())
def test_spark_gives_what_the_model_gives(seed: int, name: str, spark: Any) -> None:
    outcome = run(random_job(seed), WAYS[name], spark)
    assert not outcome.is_fault, outcome.message


# --- the fuzzer itself ------------------------------------------------------------------------------------------------


def test_a_seed_is_one_job() -> None:
    assert random_job(7) == random_job(7)
    assert len({repr(replace(random_job(seed), seed=0)) for seed in range(50)}) == 50


def test_every_kind_of_step_is_generated() -> None:
    found = {step.kind for seed in range(60_000_000, 60_000_200) for step in random_job(seed).steps}
    assert found >= {
        "async", "broadcast_state", "connect", "count", "counted", "filter", "flat_map", "keyed_broadcast",
        "keyed_connect", "keyed_first", "keyed_process", "late", "map", "max", "max_by", "min", "min_by", "nested",
        "print", "process", "reduce", "ship", "side", "source", "stamps", "sum", "times", "union", "window",
    }  # fmt: skip


def test_a_wrong_result_is_found_and_made_small() -> None:
    """The model's own answer with one number changed is a fault that every job with a `sum` has."""
    job = next(one for one in map(random_job, range(100)) if _wrong(one))
    small = shrunk(job, _wrong, tries=300)
    assert small.size < job.size
    assert {step.kind for step in small.steps} == {"source", "sum", "print"}


def _wrong(job: Job) -> bool:
    changed = replace(job, steps=tuple(replace(s, kind="max") if s.kind == "sum" else s for s in job.steps))
    return expected(job, updates=True, late=True) != expected(changed, updates=True, late=True)


# --- real PyFlink -----------------------------------------------------------------------------------------------------

RECORDED: dict[str, list[str]] = json.loads((Path(__file__).with_name("recorded.json")).read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", RECORDED)
def test_real_pyflink_gives_what_the_model_gives(seed: str) -> None:
    """Flink sends watermarks every 200 ms, so in a short run they come with the end of the input."""
    assert expected(random_job(int(seed)), updates=True, late=False) == Counter(RECORDED[seed])
