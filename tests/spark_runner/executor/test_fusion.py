"""Chains against plain Python, without Spark: any order of operators, exact counts, and who is to blame."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark import cloudpickle

from planner import ProcessFunction
from spark_runner.executor.failures import OperatorFailed
from spark_runner.executor.fusion import FusedRun
from spark_runner.executor.hidden_columns import STAMP
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.operators import MANY as CHUNK
from spark_runner.executor.pass_runner import PassRunner, TaskPlace, run_pass
from spark_runner.executor.passes import OutletSpec, PassInput, PassSpec
from spark_runner.executor.report import SubtaskReport
from spark_runner.lowering.inlining import inlined
from tests.support.pyflink_engine import EngineRun

NUMBER = pa.schema([("value", pa.int64())])
PAIR = pa.schema([("f0", pa.int64()), ("f1", pa.string())])


def twice(value: int) -> int:
    return value * 2


def odd_or_big(value: int) -> bool:
    return value % 2 == 1 or value > 10


def copies(value: int) -> list[int]:
    return [value] * (value % 4)


def lazily(value: int) -> Iterator[int]:
    yield from range(value % 3)


def sometimes_none(value: int) -> tuple[int, int] | None:
    return None if value % 2 else (value, value + 1)


STEPS: dict[str, tuple[str, Callable[[int], Any], Callable[[list[int]], list[int]]]] = {
    "twice": ("map", twice, lambda xs: [twice(x) for x in xs]),
    "odd_or_big": ("filter", odd_or_big, lambda xs: [x for x in xs if odd_or_big(x)]),
    "copies": ("flat_map", copies, lambda xs: [y for x in xs for y in copies(x)]),
    "lazily": ("flat_map", lazily, lambda xs: [y for x in xs for y in lazily(x)]),
    "sometimes_none": ("flat_map", sometimes_none, lambda xs: [y for x in xs for y in sometimes_none(x) or ()]),
    "unstamped": ("watermarks", None, lambda xs: xs),  # type: ignore[dict-item]
}


def node(number: int, role: str, function: Any, *, parent: int | None = None, tag: str | None = None) -> OperatorSpec:
    """An operator as it is shipped: its function also as an expression, where it is one."""
    parent = parent if parent is not None or number == 0 else number - 1
    return OperatorSpec(
        role=role,
        function=function,
        parent=parent,
        tag=tag,
        id="",
        key=f"o{number}",
        name=f"n{number}",
        place="job.py:1",
        inlined=inlined(function, role) if role in ("map", "filter", "flat_map") else None,
    )


def chain(nodes: list[OperatorSpec], *outlets: OutletSpec) -> PassSpec:
    last = len(nodes) - 1
    return PassSpec(
        number=0,
        name="chain",
        parallelism=1,
        input=PassInput(names=(("value",),)),
        operators=tuple(nodes),
        outlets=outlets or (OutletSpec(node=last, tag=None, schema=NUMBER, blame=last),),
        tagged=len(outlets) > 1,
    )


def ran(spec: PassSpec, values: list[int], *, size: int = 7) -> tuple[list[pa.RecordBatch], SubtaskReport]:
    schema = pa.schema([("value", pa.int64())])
    batches = [
        pa.RecordBatch.from_arrays([pa.array(values[at : at + size], pa.int64())], schema=schema)
        for at in range(0, len(values), size)
    ]
    reports: list[SubtaskReport] = []
    made = list(PassRunner(spec, TaskPlace()).run(batches, reports.append))
    return made, reports[0]


@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=12), st.lists(st.integers(0, 50), max_size=40))
@settings(deadline=None, max_examples=200)
def test_any_chain_equals_plain_python_with_exact_counts(names: list[str], values: list[int]) -> None:
    nodes = [node(n, *STEPS[name][:2]) for n, name in enumerate(names)]
    _compare(names, values, chain(nodes))
    _compare(names, values, chain([replace(one, inlined=None) for one in nodes]))


def _compare(names: list[str], values: list[int], spec: PassSpec) -> None:
    batches, figures = ran(spec, values)
    wanted, counts = values, []
    for name in names:
        made = STEPS[name][2](wanted)
        counts.append((len(wanted), len(made)))
        wanted = made
    assert [row for batch in batches for row in batch.column(0).to_pylist()] == wanted
    assert list(figures.nodes) == counts
    assert figures.outlets == (len(wanted),)


@pytest.mark.parametrize("depth", [1, 7, 20])
def test_flat_maps_in_a_row_nest_as_deep_as_they_come(depth: int) -> None:
    spec = chain([node(n, "flat_map", lambda x: [x, x + 1] if x < 3 else [x]) for n in range(depth)])
    wanted = [0, 3]
    for _ in range(depth):
        wanted = [y for x in wanted for y in ([x, x + 1] if x < 3 else [x])]
    batches, figures = ran(spec, [0, 3])
    assert [row for batch in batches for row in batch.column(0).to_pylist()] == wanted
    assert figures.nodes[-1][1] == len(wanted)


def test_twenty_thousand_operators_are_one_pass() -> None:
    spec = chain([node(n, "map", lambda x: x + 1) for n in range(20_000)])
    batches, figures = ran(spec, [0, 1, 2])
    assert batches[0].column(0).to_pylist() == [20_000, 20_001, 20_002]
    assert figures.nodes[19_999] == (3, 3)


class Added(ProcessFunction):
    def process_element(self, value: int, ctx: ProcessFunction.Context) -> Iterator[int]:
        yield value + 1


def test_thousands_of_operators_that_call_each_other() -> None:
    spec = chain([node(n, "process", Added()) for n in range(3_000)])
    batch = pa.RecordBatch.from_arrays([pa.array([0, 1], pa.int64())], schema=NUMBER)
    limit = sys.getrecursionlimit()
    batches = list(run_pass(cloudpickle.dumps(spec), None, [batch]))
    assert [row for made in batches for row in made.column(0).to_pylist()] == [3_000, 3_001]
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("cuts", [None, (1,)], ids=["bounded", "stream"])
def test_thousands_of_operators_of_a_script(cuts: tuple[int, ...] | None, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from pyflink.common import Types\n"
        "from pyflink.datastream import ProcessFunction, StreamExecutionEnvironment\n"
        "class Added(ProcessFunction):\n"
        "    def process_element(self, value, ctx):\n"
        "        yield value + 1\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "stream = env.from_collection([0, 1], Types.LONG())\n"
        "for _ in range(1_500):\n"
        "    stream = stream.process(Added(), Types.LONG())\n"
        "stream.print()\n"
        "env.execute()\n"
    )
    assert sorted(EngineRun(cuts=cuts).run(script)) == ["1500", "1501"]


def test_one_record_that_becomes_many_moves_on_in_pieces() -> None:
    spec = chain([node(0, "flat_map", lambda x: iter(range(7 * CHUNK))), node(1, "map", lambda x: x)])
    batches, figures = ran(spec, [1])
    assert [batch.num_rows for batch in batches] == [4 * CHUNK, 3 * CHUNK]
    assert figures.nodes == ((1, 7 * CHUNK), (7 * CHUNK, 7 * CHUNK))


FORMS: dict[str, Callable[[int], Any]] = {
    "tuple": lambda x: (x, str(x)),
    "list": lambda x: [x, str(x)],
    "mapping": lambda x: {"f1": str(x), "f0": x},
}


@pytest.mark.parametrize("form", FORMS)
def test_columns_keys_and_times_are_collected_beside_each_other(form: str) -> None:
    outlet = OutletSpec(node=1, tag=None, schema=PAIR, blame=1, selector=len, key_type=pa.int64(), stamps=True)
    spec = chain([node(0, "watermarks", lambda x: x * 1000), node(1, "map", FORMS[form])], outlet)
    (batch,), _ = ran(spec, [3, 4])
    assert batch.column(0).to_pylist() == [3, 4]
    assert batch.column(1).to_pylist() == ["3", "4"]
    assert batch.column(2).to_pylist() == [2, 2]
    assert batch.column(batch.schema.names.index(STAMP)).to_pylist() == [3000, 4000]


def test_an_operator_with_two_readers_ends_the_run_and_both_see_every_record() -> None:
    nodes = [node(0, "map", twice), node(1, "map", twice), node(2, "map", twice), node(3, "map", twice, parent=1)]
    outlets = [OutletSpec(node=n, tag=None, schema=NUMBER, blame=n) for n in (2, 3)]
    spec = chain(nodes, *outlets)
    runs = [target for target in PassRunner(spec, TaskPlace()).roots if isinstance(target, FusedRun)]
    assert [len(run.operators) for run in runs] == [2]
    batches, figures = ran(spec, [1, 2])
    assert figures.nodes == ((2, 2),) * 4
    assert figures.outlets == (2, 2)
    assert [batch.num_rows for batch in batches] == [2, 2]


def failing(at: int) -> Callable[[int], Any]:
    def call(value: int) -> int:
        if value == at:
            raise LookupError("gone")
        return value

    return call


def failing_late(value: int) -> Iterator[int]:
    yield value
    if value == 5:
        raise LookupError("gone")


@pytest.mark.parametrize("position", range(5))
@pytest.mark.parametrize("role", ["map", "filter", "flat_map", "watermarks"])
def test_the_operator_and_its_record_are_blamed_wherever_they_stand(role: str, position: int) -> None:
    roles = ["map", "flat_map", "filter", "map", "map"]
    functions: list[Any] = [lambda x: x, lambda x: [x], lambda x: True, lambda x: x, lambda x: x]
    roles[position], functions[position] = role, failing_late if role == "flat_map" else failing(5)
    spec = chain([node(n, *pair) for n, pair in enumerate(zip(roles, functions, strict=True))])
    with pytest.raises(OperatorFailed) as raised:
        ran(spec, [1, 2, 5, 9])
    failure = raised.value.failure
    assert (failure.operator, failure.record, failure.problem) == (f"o{position}", "5", "LookupError: gone")
    assert "fused" not in "\n".join(failure.lines)
    assert 'raise LookupError("gone")' in failure.lines[-1]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ((1, 2, 3), "it has 3 fields where 2 are declared"),
        ("ab", "a str is not a record of 2 fields"),
        ({"f0": 1, "other": "x"}, "its keys are ['f0', 'other']"),
        ((1.5, "x"), "a float is not a int64"),
        ((1, 7), "(column f1)"),
    ],
)
def test_a_record_that_does_not_fit_its_columns_is_shown(record: Any, reason: str) -> None:
    outlet = OutletSpec(node=1, tag=None, schema=PAIR, blame=1)
    spec = chain([node(0, "map", lambda x: x), node(1, "map", lambda x: record if x == 2 else (x, "ok"))], outlet)
    with pytest.raises(OperatorFailed) as raised:
        ran(spec, [1, 2, 3])
    failure = raised.value.failure
    assert failure.operator == "o1"
    assert failure.record == repr(record)
    assert reason in failure.problem


def test_a_failing_key_names_the_record_and_key_by() -> None:
    outlet = OutletSpec(node=1, tag=None, schema=PAIR, blame=1, selector=lambda r: 1 // (r[0] - 2))
    spec = chain([node(0, "map", lambda x: x), node(1, "map", lambda x: (x, "ok"))], outlet)
    with pytest.raises(OperatorFailed) as raised:
        ran(spec, [1, 2, 3])
    failure = raised.value.failure
    assert failure.problem.startswith("key_by: ZeroDivisionError")
    assert failure.record == "(2, 'ok')"
