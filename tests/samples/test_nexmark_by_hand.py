"""The hand-written side of the Nexmark figures computes the same results, or a comparison would mean nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.by_hand import nexmark_frames, nexmark_loops
from tests.samples.nexmark_reference import QUERIES, Row, Tables, comparable, read
from tests.samples.test_nexmark import NEXMARK, generator

pytestmark = pytest.mark.spark
LOOPS = {**nexmark_loops.QUERIES, **{f"{query} separate": made for query, made in nexmark_loops.SEPARATE.items()}}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nexmark")
    generator().write(folder, events=10_000)
    return folder


@pytest.fixture(scope="module")
def tables(data: Path) -> Tables:
    return read(data)


def rows(frame: Any, query: str, tables: Tables) -> list[Row]:
    """What a hand-written query gives, under the names of the reference."""
    names = list(QUERIES[query](tables)[0])
    if query == "q12":
        names = ["bidder", "bids", "begin", "end"]
    return [dict(zip(names, record, strict=True)) for record in frame.collect()]


def reader(spark: Any, data: Path, schemas: dict[str, str]) -> Callable[[str], Any]:
    return lambda name: spark.read.csv(str(data / name), schema=schemas[name])


@pytest.mark.parametrize("query", sorted(nexmark_frames.QUERIES))
def test_data_frames(query: str, spark: Any, data: Path, tables: Tables) -> None:
    job = yaml.safe_load((NEXMARK / query / "job.yaml").read_text(encoding="utf-8"))
    schemas = {one["id"]: one["schema"] for one in job["operators"] if one["type"] == "source"}
    frame = nexmark_frames.QUERIES[query](reader(spark, data, schemas))
    assert comparable(query, rows(frame, query, tables)) == comparable(query, QUERIES[query](tables))


@pytest.mark.parametrize("name", sorted(LOOPS))
def test_loops(name: str, spark: Any, data: Path, tables: Tables) -> None:
    from pyspark import cloudpickle

    import benchmarks
    from benchmarks.rows.nexmark import nexmark_module

    cloudpickle.register_pickle_by_value(benchmarks)
    query, types = name.split()[0], nexmark_module("tables")
    schemas = {"people": types.PERSON.to_ddl(), "auctions": types.AUCTION.to_ddl(), "bids": types.BID.to_ddl()}
    frame = LOOPS[name](reader(spark, data, schemas))
    assert comparable(query, rows(frame, query, tables)) == comparable(query, QUERIES[query](tables))
