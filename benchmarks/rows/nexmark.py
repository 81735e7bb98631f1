"""The Nexmark queries of the samples, next to the same queries by hand in PySpark, in turns in one session."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.by_hand import nexmark_frames, nexmark_loops
from benchmarks.figure import Figure, compare
from benchmarks.measure import ROOT, in_turns, timed
from benchmarks.rows.jobs import PYTHON_TARGET, SQL_TARGET
from benchmarks.spark_session import drain, planned, session
from planner import load_job, load_job_data
from planner.job import JobDefinition

NEXMARK = ROOT / "samples" / "nexmark"
_CHAINS = ("q0", "q1", "q2")  # operators in a row, without an exchange
_QUICK = ("q1", "q2", "q5")
_MORE = 20  # times as many auctions and bids for SQL, which is so much faster


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """SQL queries next to DataFrames, then Python queries next to mapInArrow."""
    events = 10_000 if quick else 300_000
    turns = partial(in_turns, rounds=3 if quick else 7, warm_up=1 if quick else 2, most=5 if quick else 10)
    with session() as spark, tempfile.TemporaryDirectory(prefix="plan-bench-") as made:
        folder = Path(made)
        _write_tables(spark, folder, events)
        for query, by_hand in nexmark_frames.QUERIES.items():
            yield _sql(spark, folder, query, by_hand, turns)
        for query, by_hand in nexmark_loops.QUERIES.items():
            if quick and query not in _QUICK:
                continue
            yield from _python(spark, folder / "tables", query, by_hand, turns)


Turns = Callable[[dict[str, Any]], dict[str, list[Any]]]


def _sql(spark: Any, folder: Path, query: str, by_hand: Callable[[Any], Any], turns: Turns) -> Figure:
    def read(name: str) -> Any:
        return spark.read.parquet(str(folder / "more" / query / name))

    job = _yaml_job(spark, folder, query)
    other = "DataFrame by hand"
    runs = {"plan": timed(planned(spark, job)), other: timed(lambda: drain(by_hand(read)))}
    return compare(f"{query}, SQL", turns(runs), "plan", other, target=SQL_TARGET)


def _python(spark: Any, tables: Path, query: str, by_hand: Callable[[Any], Any], turns: Turns) -> Iterator[Figure]:
    def read(name: str) -> Any:
        return spark.read.parquet(str(tables / name))

    with _settings(NEXMARK_DATA=str(tables), NEXMARK_FORMAT="parquet", NEXMARK_RESULTS="noop"):
        job = load_job(NEXMARK / query / "job.py")
    others = {"mapInArrow by hand": by_hand}
    if query in nexmark_loops.SEPARATE:
        others["one mapInArrow per operator"] = nexmark_loops.SEPARATE[query]
    runs = {"plan": timed(planned(spark, job))}
    runs |= {name: timed(partial(_drained, written, read)) for name, written in others.items()}
    costs = turns(runs)
    target = PYTHON_TARGET if query in _CHAINS else None
    for other in others:
        yield compare(
            f"{query}, Python", costs, "plan", other, target=target if other == "mapInArrow by hand" else None
        )


def _drained(by_hand: Callable[[Any], Any], read: Callable[[str], Any]) -> None:
    drain(by_hand(read))


def _yaml_job(spark: Any, folder: Path, query: str) -> JobDefinition:
    """The sample's YAML, which writes nothing and reads Parquet with the columns that it declares."""
    import yaml

    job = yaml.safe_load((NEXMARK / query / "job.yaml").read_text(encoding="utf-8"))
    for operator in job["operators"]:
        if operator["type"] == "source":
            name = Path(operator["path"]).name
            path = str(folder / "more" / query / name)
            table = spark.read.csv(str(folder / "csv" / name), schema=operator["schema"])
            table.crossJoin(spark.range(1 if name == "people" else _MORE).select()).coalesce(2).write.parquet(path)
            operator |= {"format": "parquet", "path": path}
        if operator["type"] == "sink":
            operator["format"] = "noop"
            del operator["path"], operator["mode"]
    return load_job_data(job)


def _write_tables(spark: Any, folder: Path, events: int) -> None:
    """The events as they are generated, and as Parquet."""
    nexmark_module("generate").write(folder / "csv", events=events, files=2)
    types = nexmark_module("tables")
    for name, declared in (("people", types.PERSON), ("auctions", types.AUCTION), ("bids", types.BID)):
        table = spark.read.csv(str(folder / "csv" / name), schema=declared.to_ddl())
        table.write.parquet(str(folder / "tables" / name))


def nexmark_module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"nexmark_{name}", NEXMARK / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def _settings(**settings: str) -> Iterator[None]:
    """Environment variables for as long as a job is loaded."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
