"""Keys that are equal in Python are one key: in a batch, in a stream, and where two streams meet."""

from __future__ import annotations

import dataclasses
import enum
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from planner import KeyedCoProcessFunction, KeyedProcessFunction, Row, Types, ValueStateDescriptor
from planner.errors import ExecutionError, JobDefinitionError
from planner.pipeline import plan
from spark_runner.executor.failures import OperatorFailed
from spark_runner.executor.keys import key_bytes
from spark_runner.lowering.columns import check_columns
from tests.support.spark_jobs import as_it_is, environment
from tests.support.stream_engine import StreamEngine

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
NAN = float("nan")


class Seen(KeyedProcessFunction):
    """How often each key was seen, when it is over in a batch, at each record in a stream."""

    def open(self, runtime_context: Any) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: Any, ctx: Any) -> Any:
        seen = (self.count.value() or 0) + 1
        self.count.update(seen)
        yield seen


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass(frozen=True)
class Place:
    x: int
    y: int


class Name(str, enum.Enum):  # noqa: UP042  # a StrEnum writes its value
    X = "x"


class Quiet(str):
    def __str__(self) -> str:
        return "the same for all"


class Plain:
    """A class without an equality of its own."""

    def __init__(self, x: int) -> None:
        self.x = x


KEYS = {
    "nan": [float("nan"), NAN, float("nan")],
    "nan in a tuple": [(1, float("nan")), (1, float("nan"))],
    "decimal": [Decimal("1.0"), Decimal("1.00"), 1],
    "frozenset": [frozenset(["a", "b", "c"]), frozenset(["c", "b", "a"])],
    "enum": [Colour.RED, Colour.RED],
    "enum of text": [Name.X, "x", Name.X],
    "text of another class": ["a", Quiet("a")],
    "complex": [1, 1 + 0j],
    "object": [Plain(1), Plain(1)],
    "object in a tuple": [(Plain(1), 2), (Plain(1), 2)],
    "dataclass": [Place(1, 2), Place(1, 2)],
    "mixed arrays": [None, None],
}


def _counted(keys: list[Any], how: str) -> Any:
    env = environment(2)
    numbers = env.from_collection(list(range(len(keys))), Types.LONG()).key_by(lambda n: keys[n])
    if how == "process":
        numbers.process(Seen(), Types.LONG()).print()
    else:
        numbers.reduce(lambda a, b: a + b + 100).print()
    return env.build("keys")


@pytest.mark.parametrize("name", KEYS)
def test_equal_keys_are_one_key_in_a_batch(run: Any, name: str) -> None:
    keys = KEYS[name]
    done = run(_counted(keys, "process"))
    assert done.printed["print-1"] == Counter(str(n + 1) for n in range(len(keys)))
    assert len(run(_counted(keys, "reduce")).order["print-1"]) == 1


@pytest.mark.parametrize("name", KEYS)
def test_equal_keys_are_one_key_in_a_stream(name: str) -> None:
    keys = KEYS[name]
    found = StreamEngine(_counted(keys, "process")).run([1])
    assert sorted(value for _, value in found[0]) == [n + 1 for n in range(len(keys))]


def test_texts_of_another_class_are_not_one_key() -> None:
    assert key_bytes(Quiet("a")) == key_bytes("a") != key_bytes(Quiet("b"))


THREE = Types.TUPLE([Types.DOUBLE(), Types.STRING(), Types.LONG()])


@pytest.mark.parametrize("key", [["f0", "f1"], lambda v: (v[0], v[1])])
def test_a_nan_in_a_key_of_two_columns_is_one_key(run: Any, key: Any) -> None:
    env = environment(2)
    records = [(float("nan"), "a", n) for n in range(3)] + [(float("nan"), "b", 9)]
    env.from_collection(records, THREE).key_by(key).process(Seen(), Types.LONG()).print()
    assert run(env.build("nan")).printed["print-1"] == Counter(["1", "2", "3", "1"])


class CurrentKey(KeyedProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        yield repr(ctx.get_current_key())


def test_the_current_key_is_what_the_selector_gave(run: Any) -> None:
    """Not a field of the record that is equal to it: 1.0 for 1, or 1 for True."""

    def job() -> Any:
        env = environment(2)
        pairs = env.from_collection([(1.0, 1), (1.0, 1)], Types.TUPLE([Types.DOUBLE(), Types.LONG()]))
        for select in (lambda v: int(v[0]), lambda v: v[0] == 1, lambda v: float(v[1])):
            pairs.key_by(select).process(CurrentKey(), Types.STRING()).print()
        return env.build("current")

    done = run(job())
    assert [done.order[f"print-{n}"] for n in (1, 2, 3)] == [["1"] * 2, ["True"] * 2, ["1.0"] * 2]
    found = StreamEngine(job()).run([])
    assert [[value for _, value in found[n]] for n in (0, 1, 2)] == [["1"] * 2, ["True"] * 2, ["1.0"] * 2]


def test_keys_are_read_from_records_of_their_declared_type(run: Any) -> None:
    """0.1 is another number where it has 32 bits, and a tuple inside a record has the names of its type."""
    inner = Types.ROW_NAMED(["x"], [Types.LONG()])

    def job() -> Any:
        env = environment(4)
        numbers = env.from_collection([1, 2, 3, 7, 9], Types.LONG())
        floats = numbers.map(lambda n: (n / 10, n), Types.TUPLE([Types.FLOAT(), Types.LONG()]))
        read = floats.rebalance().map(lambda v: (v[0], v[1] * 10))
        floats.key_by(lambda v: v[0]).connect(read.key_by(lambda v: v[0])).process(Meets(), Types.STRING()).print()
        rows = numbers.map(lambda n: ((n,), n), Types.TUPLE([inner, Types.LONG()]))
        rows.key_by(lambda v: v[0].x % 2).process(CurrentKey(), Types.STRING()).print()
        rows.partition_custom(lambda k, n: k % n, lambda v: v[0].x).map(lambda v: v[1], Types.LONG()).print()
        return env.build("declared")

    found = StreamEngine(job()).run([])
    done = run(job())
    assert len(found[0]) == 5 == sum(done.printed["print-1"].values())
    assert done.printed["print-1"] == Counter(value for _, value in found[0])
    assert done.printed["print-2"] == Counter(value for _, value in found[1]) == Counter({"1": 4, "0": 1})
    assert done.printed["print-3"] == Counter(str(value) for _, value in found[2]) == Counter("12379")


def _typed_key(select: Any, kind: Any) -> Any:
    env = environment(2)
    pairs = env.from_collection([(1, 2.5)], Types.TUPLE([Types.LONG(), Types.DOUBLE()]))
    pairs.key_by(lambda v: as_it_is(select(v)), kind).process(CurrentKey(), Types.STRING()).uid("reader").print()
    return env.build("typed")


def test_a_key_has_its_declared_type(run: Any) -> None:
    for select, kind, wanted in (
        (lambda v: v[0], Types.DOUBLE(), "1.0"),
        (lambda v: v[1] / 3, Types.FLOAT(), "0.8333333134651184"),
        (lambda v: [v[0], 2], Types.TUPLE([Types.LONG(), Types.DOUBLE()]), "(1, 2.0)"),
    ):
        assert run(_typed_key(select, kind)).order["print-1"] == [wanted]
        assert [value for _, value in StreamEngine(_typed_key(select, kind)).run([])[0]] == [wanted]


def test_a_key_that_does_not_fit_its_declared_type_is_refused(run: Any) -> None:
    for select, kind in ((lambda v: v[0], Types.STRING()), (lambda v: v, Types.TUPLE([Types.LONG()]))):
        with pytest.raises(ExecutionError, match="key_by gave a key that does not fit its declared type") as caught:
            run(_typed_key(select, kind))
        assert caught.value.operator == "reader"
        with pytest.raises(OperatorFailed, match="key_by gave a key that does not fit its declared type") as failed:
            StreamEngine(_typed_key(select, kind)).run([])
        assert failed.value.failure.operator == "reader"


def test_an_array_key_may_be_none_first(run: Any) -> None:
    keys = [None, [1, 2], [1, 2], None]
    done = run(_counted(keys, "reduce"))
    assert done.printed["print-1"] == Counter(["103", "103"])


class Meets(KeyedCoProcessFunction):
    def open(self, runtime_context: Any) -> None:
        self.left = runtime_context.get_state(ValueStateDescriptor("left", Types.LONG()))
        self.right = runtime_context.get_state(ValueStateDescriptor("right", Types.LONG()))

    def process_element1(self, value: Any, ctx: Any) -> Any:
        self.left.update(value[1])
        if self.right.value() is not None:
            yield f"{value[0]} {value[1] + self.right.value()}"

    def process_element2(self, value: Any, ctx: Any) -> Any:
        self.right.update(value[1])
        if self.left.value() is not None:
            yield f"{value[0]} {value[1] + self.left.value()}"


LEFT = {
    "column": lambda s: s.key_by(lambda v: v[0]),
    "computed": lambda s: s.key_by(lambda v: v[0].strip()),
    "declared": lambda s: s.key_by(lambda v: v[0].strip(), Types.STRING()),
    "undeclared records": lambda s: s.map(as_it_is).key_by(lambda v: v[0]),
}


@pytest.mark.parametrize("one", LEFT)
@pytest.mark.parametrize("other", LEFT)
def test_keyed_streams_meet_whatever_their_keys_are_made_of(run: Any, one: str, other: str) -> None:
    env = environment(2)
    left = LEFT[one](env.from_collection([("a", 1), ("b", 2), ("c", 3)], PAIR))
    right = LEFT[other](env.from_collection([("a", 10), ("b", 20), ("d", 30)], PAIR))
    left.connect(right).process(Meets(), Types.STRING()).print()
    assert run(env.build("meet")).printed["print-1"] == Counter(["a 11", "b 22"])


def test_rows_are_not_united_in_another_order() -> None:
    env = environment(1)
    one = env.from_collection([Row(a=1, b=2)], Types.ROW_NAMED(["a", "b"], [Types.LONG(), Types.LONG()]))
    two = env.from_collection([Row(b=1, a=2)], Types.ROW_NAMED(["b", "a"], [Types.LONG(), Types.LONG()]))
    one.union(two).map(lambda r: r.a, Types.LONG()).print()
    with pytest.raises(JobDefinitionError, match=r"another order: \(a, b\) and \(b, a\)"):
        check_columns(plan(env.build("union")))


def test_a_sum_that_is_too_large_names_its_operator(run: Any) -> None:
    env = environment(1)
    pairs = env.from_collection([("a", 2**31 - 1), ("a", 1)], Types.TUPLE([Types.STRING(), Types.INT()]))
    pairs.key_by(lambda v: v[0]).sum(1).uid("totals").print()
    with pytest.raises(ExecutionError, match="a sum is too large for its declared type int") as caught:
        run(env.build("overflow"))
    assert caught.value.operator == "totals"


@pytest.mark.parametrize("values", [[1.0, NAN, 2.0], [NAN, 1.0], [1.0, 2.0, NAN]])
def test_nan_is_the_greatest_number_in_every_mode(run: Any, values: list[float]) -> None:
    def job(declared: bool) -> Any:
        env = environment(1)
        records = [("a", value) for value in values]
        kind = Types.TUPLE([Types.STRING(), Types.DOUBLE()])
        pairs = env.from_collection(records, kind if declared else None)
        pairs.key_by(lambda v: v[0]).max(1).map(lambda v: str(v[1]), Types.STRING()).print()
        pairs.key_by(lambda v: v[0]).min(1).map(lambda v: str(v[1]), Types.STRING()).print()
        return env.build("extremes")

    for declared in (True, False):
        done = run(job(declared))
        assert (done.order["print-1"], done.order["print-2"]) == (["nan"], ["1.0"])
        found = StreamEngine(job(declared)).run([])
        assert [found[n][-1][1] for n in (0, 1)] == ["nan", "1.0"]


def test_rows_of_positions_are_moved_by_key_and_by_partitioner(run: Any) -> None:
    def job() -> Any:
        env = environment(2)
        kind = Types.ROW([Types.STRING(), Types.LONG()])
        rows = env.from_collection([1, 2, 3], Types.LONG()).map(lambda n: Row("k", n), kind)
        rows.key_by(lambda r: r[0]).reduce(lambda a, b: Row(a[0], a[1] + b[1])).map(
            lambda r: str(r), Types.STRING()
        ).print()
        rows.partition_custom(lambda key, n: key % n, lambda r: r[1]).map(lambda r: r[1], Types.LONG()).print()
        return env.build("rows")

    done = run(job())
    assert done.printed["print-1"] == Counter(["('k', 6)"])
    assert done.printed["print-2"] == Counter(["1", "2", "3"])
    found = StreamEngine(job()).run([1])
    assert [value for _, value in found[0]][-1] == "('k', 6)"
    assert sorted(value for _, value in found[1]) == [1, 2, 3]
