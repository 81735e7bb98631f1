"""The Nexmark queries: every one plans, and gives what the same query in plain Python gives."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import planner
from cli.app import main
from tests.samples.nexmark_reference import QUERIES, Row, Tables, comparable, read
from tests.support.session_runs import run_batch, run_stream

ROOT = Path(__file__).parents[2]
NEXMARK = ROOT / "samples" / "nexmark"
JOBS = sorted(NEXMARK.glob("q*/job.*"))
SMALL = 2_000
name_of = pytest.mark.parametrize("path", JOBS, ids=lambda path: f"{path.parent.name}/{path.name}")


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("nexmark_generate", NEXMARK / "generate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_query_has_its_folder() -> None:
    assert {path.parent.name for path in JOBS} == set(QUERIES)
    for query in QUERIES:
        assert (NEXMARK / query / "README.md").is_file()
        assert (NEXMARK / query / "job.py").is_file()


def test_the_small_tables_are_what_the_generator_writes(tmp_path: Path) -> None:
    generator().write(tmp_path, events=SMALL, files=2)
    for file in sorted(tmp_path.rglob("*.csv")):
        assert file.read_text() == (NEXMARK / "data" / file.relative_to(tmp_path)).read_text(), file.name


def test_a_seed_decides_everything() -> None:
    make = generator().Generator
    assert list(make(1).events(300)) == list(make(1).events(300)) != list(make(2).events(300))


def test_events_come_in_nexmarks_proportions() -> None:
    module = generator()
    events = list(module.Generator(7).events(5_000))
    assert Counter(table for table, _ in events) == {"people": 100, "auctions": 300, "bids": 4_600}
    people = [record for table, record in events if table == "people"]
    auctions = [record for table, record in events if table == "auctions"]
    bids = [record for table, record in events if table == "bids"]
    assert [record[0] for record in people] == list(range(1_000, 1_100))
    assert [record[0] for record in auctions] == list(range(1_000, 1_300))
    assert {record[8] for record in auctions} == {10, 11, 12, 13, 14}
    assert all(record[6] > record[5] and record[4] > record[3] for record in auctions), "expires later, reserve above"
    hot = Counter(record[0] for record in bids)
    assert sum(count for _, count in hot.most_common(3)) > len(bids) / 3, "half of the bids go to popular auctions"
    assert max(record[0] for record in bids) > 1_299, "some bids come before their auction"


@name_of
def test_every_query_plans(path: Path) -> None:
    assert planner.load_plan(path).physical is not None


@name_of
def test_lint_has_nothing_to_say(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", str(path)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("query", ["q1", "q2", "q3", "q11"])
def test_both_languages_give_one_job_graph(query: str) -> None:
    def shape(language: str) -> object:
        graph = planner.load_plan(NEXMARK / query / f"job.{language}").to_dict()["job_graph"]
        number = {vertex["id"]: at for at, vertex in enumerate(graph["vertices"])}
        edges = [(number[edge["source"]], number[edge["target"]], edge["ship_strategy"]) for edge in graph["edges"]]
        return [(len(vertex["nodes"]), vertex["parallelism"]) for vertex in graph["vertices"]], edges

    assert shape("py") == shape("yaml")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples where they may write."""
    made = shutil.ignore_patterns("output", ".plan", "__pycache__")
    return Path(shutil.copytree(NEXMARK, tmp_path_factory.mktemp("samples") / "nexmark", ignore=made))


@pytest.fixture(scope="module")
def tables() -> Tables:
    return read(NEXMARK / "data")


def results(folder: Path) -> list[Row]:
    """What a run wrote."""
    return [json.loads(line) for file in sorted(folder.rglob("part-*")) for line in file.open(encoding="utf-8")]


@pytest.mark.spark
@name_of
def test_a_query_gives_what_plain_python_gives(path: Path, copied: Path, spark: Any, tables: Tables) -> None:
    query = path.parent.name
    job = copied / query / path.name
    run_batch(spark, job)
    expected = QUERIES[query](tables)
    assert expected, "the small tables have something for every query"
    assert comparable(query, results(job.parent / "output")) == comparable(query, expected)


@pytest.mark.spark
@pytest.mark.parametrize("query", ["q4", "q5", "q8"])  # two inputs with timers, windows in a row, a union in windows
def test_a_query_gives_the_same_as_a_stream(
    query: str, copied: Path, spark: Any, tables: Tables, tmp_path: Path
) -> None:
    job = copied / query / "job.py"
    run_stream(spark, job, tmp_path / "checkpoint")
    given = comparable(query, results(job.parent / "output"), updates=True)
    assert given == comparable(query, QUERIES[query](tables))
