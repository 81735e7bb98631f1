"""Functions that a loop computes without a call: the same results, counts and failures as with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_runner.executor.failures import OperatorFailed
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.pass_runner import PassRunner, TaskPlace
from spark_runner.executor.passes import OutletSpec, PassInput, PassSpec
from spark_runner.lowering.inlining import inlined

LIMIT = 3
CHANGING = 1
PAIR = pa.schema([("f0", pa.int64()), ("f1", pa.int64())])


def change() -> None:
    global CHANGING
    CHANGING += 1


def closed_over(limit: int) -> Callable[[Any], Any]:
    return lambda r: (r[0] % limit, r[1])


def documented(r: Any) -> Any:
    """Functions may say what they do."""
    return r[1], r[0]


def two_steps(r: Any) -> Any:
    first, second = r
    return second, first


# Over pairs of numbers; each by itself may fail on some of them.
MAPS: list[Callable[[Any], Any]] = [
    lambda r: (r[0] + r[1], r[0]),
    lambda r: (r[0] // r[1], r[1]),
    lambda r: (max(r[0], LIMIT), len(r)),
    lambda r: r if r[0] else (LIMIT, r[-1]),
    lambda r: r[::-1],
    lambda r: tuple(sorted(r)),
    lambda r: (int(f"{r[0]}{abs(r[1])}"), r.index(r[1])),
    lambda r: (r[0], r[1], r[0])[:2],
    documented,
    closed_over(7),
    two_steps,
]
FILTERS: list[Callable[[Any], Any]] = [
    lambda r: r[0] > LIMIT,
    lambda r: not r[1] % 2 or r[0] == 0,
    lambda r: isinstance(r, tuple) and r[0] < r[1] < 20,
]
FLAT_MAPS: list[Callable[[Any], Any]] = [
    lambda r: [r, (r[1], r[0])],
    lambda r: (r, r) if r[0] > 2 else None,
    lambda r: [(r[0], n) for n in range(r[1] % 3)],
]
STEPS = [("map", one) for one in MAPS] + [("filter", one) for one in FILTERS] + [("flat_map", one) for one in FLAT_MAPS]


@pytest.mark.parametrize("function", [*MAPS[:-1], *FILTERS, *FLAT_MAPS[:-1]])
def test_one_plain_expression_is_written_into_the_loop(function: Any) -> None:
    assert inlined(function, "map") is not None


@pytest.mark.parametrize(
    "function",
    [
        two_steps,
        FLAT_MAPS[-1],
        lambda r, n=1: r[0] + n,
        lambda *r: r,
        lambda r: print(r),
        lambda r: r.pop(),
        lambda r: documented(r),
        lambda r: (r[0], CHANGING),
        lambda r: STEPS[0],
        lambda r: r(),
        lambda r: (yield r),
        lambda r: [f(r) for f in (len,)],
        lambda r: r.__class__,
        len,
        print,
    ],
)
def test_anything_else_is_called(function: Any) -> None:
    assert inlined(function, "map") is None


def test_a_name_that_is_pythons_own_may_mean_something_else_in_a_job() -> None:
    names: dict[str, Any] = {"len": change}
    exec(compile("def shadowed(r):\n    return len(r)", __file__, "exec"), names)
    assert inlined(names["shadowed"], "map") is None


NAMES = ("price", "count")  # a row reads the second one by r["count"] only: tuples have a method of that name
BY_NAME: list[tuple[str, Callable[[Any], Any]]] = [
    ("filter", lambda r: r.price > LIMIT),
    ("filter", lambda r: r["count"] % 3),
    ("filter", lambda r: 7 // r["count"] < r[0] or r.count(r.price) == 2),
    ("filter", lambda r: True),
]
LAST: list[tuple[str, Callable[[Any], Any]]] = [
    ("map", lambda r: (r.price // r[1], 5)),
    ("map", lambda r: (r["count"], r["count"])),
    ("map", lambda r: (1, 2)),
    ("map", lambda r: (r.price, r.as_dict()["count"])),
    ("flat_map", lambda r: [(r.price, n) for n in range(2)]),
    ("filter", lambda r: r["nothing"] if r.price == 9 else r.price),
]


def ran(
    steps: list[tuple[str, Any]],
    values: list[tuple[int, int]],
    *,
    inline: bool,
    names: tuple[str, ...] = ("f0", "f1"),
) -> Any:
    """The records and counts of a chain, or its failure."""
    nodes = [
        OperatorSpec(
            role=role,
            function=function,
            parent=number - 1 if number else None,
            tag=None,
            id="",
            key=f"o{number}",
            name="n",
            place="job.py:1",
            inlined=inlined(function, role) if inline else None,
        )
        for number, (role, function) in enumerate(steps)
    ]
    last = len(nodes) - 1
    spec = PassSpec(
        number=0,
        name="chain",
        parallelism=1,
        input=PassInput(names=(names,)),
        operators=tuple(nodes),
        outlets=(OutletSpec(node=last, tag=None, schema=PAIR, blame=last),),
    )
    columns = [pa.array([value[at] for value in values], pa.int64()) for at in (0, 1)]
    reports: list[Any] = []
    try:
        made = list(
            PassRunner(spec, TaskPlace()).run([pa.RecordBatch.from_arrays(columns, list(names))], reports.append)
        )
    except OperatorFailed as failed:
        return replace(failed.failure, lines=()), [line for line in failed.failure.lines if "runpy" not in line]
    return [row for batch in made for row in batch.to_pylist()], reports[0].nodes, reports[0].outlets


PAIRS = st.tuples(st.integers(-5, 30), st.integers(-5, 30))


@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=6), st.lists(PAIRS, max_size=12))
def test_records_counts_and_failures_are_those_of_calls(steps: Any, values: list[tuple[int, int]]) -> None:
    assert ran(steps, values, inline=True) == ran(steps, values, inline=False)


@given(st.lists(st.sampled_from(BY_NAME), max_size=3), st.sampled_from(LAST), st.lists(PAIRS, max_size=12))
def test_rows_are_read_by_name_without_being_made(first: Any, last: Any, values: list[tuple[int, int]]) -> None:
    steps = [*first, last]
    assert ran(steps, values, inline=True, names=NAMES) == ran(steps, values, inline=False, names=NAMES)


def test_the_author_sees_their_own_line() -> None:
    steps = [("map", lambda r: (r[0], r[1] - 1)), ("map", lambda r: (r[0] // r[1], 1))]
    failure, lines = ran(steps, [(1, 2), (5, 1)], inline=True)
    assert (failure.operator, failure.record) == ("o1", "(5, 0)")
    assert failure.problem.startswith("ZeroDivisionError")
    assert "lambda r: (r[0] // r[1], 1)" in lines[-1]
