"""Records have their declared types on every edge: chained or not, in a batch and in a stream."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import pytest

from planner import OutputTag, ProcessFunction, Row, Types
from planner.errors import ExecutionError
from spark_runner.executor.failures import OperatorFailed
from tests.support.spark_jobs import as_it_is, environment
from tests.support.stream_engine import StreamEngine

NAMED = Types.ROW_NAMED(["user", "ms"], [Types.STRING(), Types.LONG()])
PAIR = Types.TUPLE([Types.STRING(), Types.DOUBLE()])
CASES: dict[str, tuple[Any, Any, Any, str]] = {
    "names of a tuple": (lambda n: ("u", n), NAMED, lambda r: f"{r.user} {r['ms']}", "u 1"),
    "a row in another order": (lambda n: Row(ms=n, user="u"), NAMED, lambda r: f"{r[0]} {r[1]}", "u 1"),
    "a dict": (lambda n: {"ms": n, "user": "u"}, NAMED, lambda r: f"{r[0]} {r[1]}", "u 1"),
    "float": (lambda n: 1.1, Types.FLOAT(), repr, "1.100000023841858"),
    "an int as double": (lambda n: n, Types.DOUBLE(), repr, "1.0"),
    "a list as tuple": (lambda n: ["a", n], PAIR, repr, "('a', 1.0)"),
    "a row as tuple": (lambda n: Row("a", n), PAIR, repr, "('a', 1.0)"),
    "none": (lambda n: (None, None), PAIR, repr, "(None, None)"),
    "a large int as double": (lambda n: 2**80, Types.DOUBLE(), repr, repr(2.0**80)),
    "an int inside as double": (lambda n: [2**80], Types.LIST(Types.DOUBLE()), repr, repr([2.0**80])),
}
SWAPPED = Types.ROW_NAMED(["ms", "user"], [Types.LONG(), Types.STRING()])


def job(function: Any, kind: Any, reader: Any, *, chained: bool) -> Any:
    env = environment(1)
    made = env.from_collection([1], Types.LONG()).map(lambda n: as_it_is(function(n)), kind).uid("maker")
    (made if chained else made.rebalance()).map(lambda v: as_it_is(reader(v)), Types.STRING()).print()
    return env.build("types")


@pytest.mark.parametrize("chained", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_a_reader_gets_the_declared_type_in_a_stream(name: str, chained: bool) -> None:
    function, kind, reader, wanted = CASES[name]
    found = StreamEngine(job(function, kind, reader, chained=chained)).run([])
    assert [value for _, value in found[0]] == [wanted]


def test_a_reader_gets_the_declared_type_in_a_batch(run: Any) -> None:
    env = environment(1)
    for function, kind, reader, _ in CASES.values():
        numbers = env.from_collection([1], Types.LONG())
        made = numbers.map(lambda n, function=function: as_it_is(function(n)), kind)
        made.map(lambda v, reader=reader: as_it_is(reader(v)), Types.STRING()).print()
    done = run(env.build("types"))
    found = [done.printed[f"print-{at + 1}"] for at in range(len(CASES))]
    assert found == [Counter([wanted]) for *_, wanted in CASES.values()]


@pytest.mark.parametrize("chained", [True, False])
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("text", Types.LONG()),
        (2**40, Types.INT()),
        (("a",), PAIR),
        (1e300, Types.FLOAT()),
        ([1e300], Types.LIST(Types.FLOAT())),
        (10**400, Types.DOUBLE()),
        (Row(user="u", second=1), NAMED),
    ],
)
def test_what_does_not_fit_is_refused_in_a_stream(value: Any, kind: Any, chained: bool) -> None:
    with pytest.raises(OperatorFailed, match="does not fit its declared type") as caught:
        StreamEngine(job(lambda n: value, kind, repr, chained=chained)).run([])
    assert caught.value.failure.operator == "maker"
    assert caught.value.failure.record == repr(value)


@pytest.mark.parametrize("chained", [True, False])
def test_rows_of_a_reader_are_read_by_name_too(chained: bool) -> None:
    env = environment(1)
    rows = env.from_collection([Row(ms=1, user="u"), Row("v", 2)], NAMED)
    swapped = rows.map(lambda row: row, SWAPPED)
    (swapped if chained else swapped.rebalance()).map(lambda r: f"{r[0]} {r[1]}", Types.STRING()).print()
    assert sorted(value for _, value in StreamEngine(env.build("rows")).run([])[0]) == ["1 u", "2 v"]


def test_what_is_no_record_is_not_the_keys_fault() -> None:
    env = environment(1)
    made = env.from_collection([1], Types.LONG()).map(lambda n: n, PAIR).uid("maker")
    made.key_by(lambda pair: pair[0]).reduce(lambda one, other: one).print()
    with pytest.raises(OperatorFailed, match="an int is not a record of 2 fields") as caught:
        StreamEngine(env.build("key")).run([])
    assert caught.value.failure.operator == "maker"


def test_what_does_not_fit_is_refused_in_a_batch(run: Any) -> None:
    with pytest.raises(ExecutionError, match="does not fit its declared type") as caught:
        run(job(lambda n: (1, 2.0), PAIR, repr, chained=True))
    assert caught.value.operator == "maker"
    assert "f0" in str(caught.value)


ODD = OutputTag("odd", Types.DOUBLE())


class Apart(ProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        yield ODD, value


def test_side_outputs_have_their_types_too() -> None:
    env = environment(1)
    made = env.from_collection([1], Types.LONG()).process(Apart(), Types.LONG())
    made.get_side_output(ODD).map(repr, Types.STRING()).print()
    assert [value for _, value in StreamEngine(env.build("sides")).run([])[0]] == ["1.0"]


class Keeps(ProcessFunction):
    """Gives the same list again and again."""

    def open(self, runtime_context: Any) -> None:
        self.seen: list[int] = []

    def process_element(self, value: Any, ctx: Any) -> Any:
        self.seen.append(value)
        yield self.seen


def _spoiled(value: list[int]) -> str:
    value.append(-1)
    return str(value)


def test_readers_do_not_share_what_they_change() -> None:
    env = environment(1)
    lists = env.from_collection([1, 2], Types.LONG()).process(Keeps())
    lists.map(_spoiled, Types.STRING()).print()
    lists.map(_spoiled, Types.STRING()).print()
    found = StreamEngine(env.build("shared")).run([])
    assert [[value for _, value in found[n]] for n in (0, 1)] == [["[1, -1]", "[1, 2, -1]"]] * 2


def test_times_with_a_zone_are_read_without_one(run: Any) -> None:
    env = environment(1)
    zone = datetime.timezone(datetime.timedelta(hours=2))
    made = env.from_collection([1], Types.LONG()).map(
        lambda n: as_it_is(datetime.datetime(2024, 1, 1, 2, tzinfo=zone)), Types.INSTANT()
    )
    made.map(lambda at: as_it_is(str(at)), Types.STRING()).print()
    assert run(env.build("zones")).printed["print-1"] == Counter(["2024-01-01 00:00:00"])
