"""Lowering: what becomes one pass, and what is refused before a session starts. No Spark here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from planner import ReaderSource, StreamExecutionEnvironment, Types, WatermarkStrategy
from planner.errors import JobDefinitionError, UnsupportedOnSpark
from planner.frontends.loading import load_job
from planner.job import OperatorKind
from planner.pipeline import plan
from spark_runner.lowering.ddl import declared_columns
from spark_runner.lowering.job_functions import selected_columns
from spark_runner.lowering.lower import lower
from spark_runner.lowering.operators import LOWERINGS
from tests.support.spark_jobs import PAIR, environment


def passes(env: StreamExecutionEnvironment) -> list[tuple[int, str, list[str]]]:
    """Step, engine and operator kinds of every pass."""
    program = lower(plan(env.build("test")))
    return [(p.step, p.engine, [o.operator.kind for o in p.operations]) for p in program.passes]


def test_every_kind_has_a_lowering() -> None:
    assert set(LOWERINGS) == set(get_args(OperatorKind))


def test_a_chain_of_python_operators_is_one_pass() -> None:
    env = environment(2)
    env.from_collection([("a", 1)], type_info=PAIR).map(lambda v: v).filter(lambda v: True).map(lambda v: v).print()
    assert passes(env) == [(0, "python", ["source", "map", "filter", "map"])]


def test_a_mixed_chain_alternates_inside_its_step() -> None:
    env = environment(1)
    stream = env.from_sequence(1, 3).filter("value > 1").map(lambda n: hash(n), Types.LONG()).filter("value < 3")
    stream.map(lambda n: n).print()
    assert passes(env) == [
        (0, "native", ["source", "filter"]),
        (0, "python", ["map"]),
        (0, "native", ["filter"]),
        (0, "python", ["map"]),
    ]


def test_a_tree_of_python_operators_is_one_pass_with_several_outlets() -> None:
    env = environment(1)
    source = env.from_collection([1], type_info=Types.LONG())
    source.map(lambda n: n, Types.LONG()).print()
    source.map(lambda n: -n, Types.LONG()).print()
    program = lower(plan(env.build("tree")))
    assert len(program.passes) == 1
    assert program.passes[0].shared
    assert [sink.outlet for sink in program.sinks] == [0, 1]


def test_key_selectors_that_read_fields_become_columns() -> None:
    pair = "f0 string, f1 bigint"
    assert selected_columns(lambda v: v[0], pair) == ("f0",)
    assert selected_columns(lambda v: (v[1], v[0]), pair) == ("f1", "f0")
    assert selected_columns(lambda row: row.name, "name string, `an age` int") == ("name",)
    assert selected_columns(lambda row: row["an age"], "name string, `an age` int") == ("an age",)
    assert selected_columns(lambda v: v, "value int") == ("value",)
    for computing in (
        lambda v: v[0].upper(), lambda v: v[1] % 2, lambda v: v[0] if v[1] is None else v[1], lambda v: 1,
        lambda v: f"{v[0]}", lambda v: v[7], lambda v: hash(v[0]),
    ):  # fmt: skip
        assert selected_columns(computing, pair) == ()
    assert selected_columns(lambda v: v[0], None) == ()


def test_column_names_of_ddl() -> None:
    assert declared_columns("a string, `b, c` struct<x: int, y: map<string, int>>, d decimal(10,2), e: int") == (
        "a",
        "b, c",
        "d",
        "e",
    )


def yaml(folder: Path, operators: str) -> Any:
    path = folder / "job.yaml"
    path.write_text("operators:\n" + operators, encoding="utf-8")
    return plan(load_job(path))


SOURCE = "  - {id: s, type: source, collection: [1], schema: value int}\n"


@pytest.mark.parametrize(
    ("operators", "operator", "hint"),
    [
        (SOURCE + "  - {id: m, type: map, input: s}\n", "m", "function"),
        ("  - {id: s, type: source}\n  - {id: p, type: print, input: s}\n", "s", "collection"),
        ("  - {id: s, type: source, format: rate}\n  - {id: p, type: print, input: s}\n", "s", "--mode batch"),
        (SOURCE + "  - {id: m, type: multi_input, inputs: [s]}\n", "m", "union"),
        (SOURCE + "  - {id: k, type: sink, input: s}\n", "k", "format"),
        (SOURCE + "  - {id: t, type: sum, input: s, key_by: value}\n", "t", "field"),
        (SOURCE + "  - {id: w, type: window_reduce, input: s, key_by: value}\n", "w", "window"),
        (SOURCE + "  - {id: p, type: print, input: {from: s, partition: custom}}\n", "p", "partition_custom"),
    ],
)
def test_what_cannot_run_is_refused_with_a_next_step(tmp_path: Path, operators: str, operator: str, hint: str) -> None:
    with pytest.raises(UnsupportedOnSpark) as caught:
        lower(yaml(tmp_path, operators))
    assert repr(operator) in caught.value.message
    assert caught.value.location is not None
    assert caught.value.hint is not None and hint in caught.value.hint


def test_sql_over_records_without_columns_is_refused() -> None:
    env = environment(1)
    env.from_collection([1]).filter("value > 1").print()
    with pytest.raises(UnsupportedOnSpark, match="no declared columns"):
        lower(plan(env.build("sql")))


@pytest.mark.parametrize("reference", ["./missing.py:f", "no_such_module_at_all:f", "json:no_such_function", "json"])
def test_functions_that_cannot_be_loaded_are_the_jobs_fault(tmp_path: Path, reference: str) -> None:
    operators = SOURCE + f"  - {{id: m, type: map, input: s, function: '{reference}', output: value int}}\n"
    with pytest.raises(JobDefinitionError, match="operator 'm'"):
        lower(yaml(tmp_path, operators))


def test_twenty_thousand_operators_in_a_row() -> None:
    env = environment(1)
    stream = env.from_collection([1], type_info=Types.LONG())
    for _ in range(20_000):
        stream = stream.map(lambda n: n + 1)
    stream.print()
    program = lower(plan(env.build("long")))
    assert [len(one.operations) for one in program.passes] == [20_001]


@pytest.mark.parametrize("chained", [True, False])
def test_what_thousands_of_filters_read_is_found_without_recursion(*, chained: bool) -> None:
    env = environment(1)
    fields = Types.ROW_NAMED(["a", "b", "c"], [Types.LONG(), Types.LONG(), Types.LONG()])
    stream = env.from_source(ReaderSource("json", "events", {}), WatermarkStrategy.no_watermarks(), "events", fields)
    for _ in range(3_000):
        stream = stream.filter(lambda event: event.a > 3)
        stream = stream if chained else stream.disable_chaining()
    stream.map(lambda event: event.b, Types.LONG()).print()
    program = lower(plan(env.build("filters")))
    assert sum(len(one.operations) for one in program.passes) >= 3_001
    if chained:
        assert program.passes[1].inlets[0].read == ("a", "b")
