"""Single edits to the functions of a script, and to what they use: each is another result, breaks state, or is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.diff.changes import LEVELS, find_changes
from planner.diff.comparison import compare
from planner.frontends.loading import load_jobs
from planner.pipeline import plan
from planner.snapshots.snapshot import Snapshot, take_snapshot

TOOLS = """\
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, singledispatch

RULES = {}
LIMIT = 5
LIMIT += 1
NAMES = []
for name in ("x", "y"):
    NAMES.append("z")
if LIMIT > 3:
    EDGE = 10
else:
    EDGE = 20


def register(name):
    def put(function):
        RULES[name] = function
        return function

    return put


@register("one")
def one(v):
    return v + "1"


def apply_all(v):
    for rule in RULES.values():
        v = rule(v)
    return v + str((LIMIT, NAMES, EDGE))


@lru_cache(maxsize=100)
def cached(v):
    return v.upper()


@singledispatch
def shape(v):
    return str(v)


@shape.register
def _(v: str):
    return "s" + v


@dataclass
class Config:
    a: int = 1

    def price(self):
        return self.a + 1


class Level(Enum):
    LOW = 1
"""
JOB = """\
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import KeyedProcessFunction, MapFunction
from pyflink.datastream.state import ValueStateDescriptor

import tools

env = StreamExecutionEnvironment.get_execution_environment()
ds = env.from_collection(["a", "b"], Types.STRING())


class Upper(MapFunction):
    def __init__(self, *given):
        self.given = given

    def map(self, value):
        return str(self.given[0].price()) + value


class Sized:
    __slots__ = ("size",)

    def __init__(self, size):
        self.size = size


class Foreign:
    pass


class Count(KeyedProcessFunction):
    NAME = "class"

    def __init__(self, name, kind):
        self.name = name
        self.kind = kind

    def open(self, context):
        self.one = context.get_state(ValueStateDescriptor(self.name, self.kind))
        self.two = context.get_state(ValueStateDescriptor(self.NAME, Types.LONG()))
        self.three = context.get_state(ValueStateDescriptor(f"{self.name}-3", Types.LONG()))
        self.four = context.get_state(declared("four"))

    def process_element(self, value, context):
        yield value


class Held(KeyedProcessFunction):
    def __init__(self, held):
        self.held = held

    def open(self, context):
        self.last = context.get_state(self.held)

    def process_element(self, value, context):
        yield value


def declared(name):
    return ValueStateDescriptor(name=name, value_type_info=Types.STRING())


def shadowing(value):
    ds = value + "x"
    return [tools for tools in ds][0]


n = 5
a = ds.map(Upper(tools.Config(a=2), [("p", 1), ("q", 2)], {("w", 1)}, {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}},
                 Sized("3"), tools.Level.LOW), Types.STRING())
b = a.map(shadowing, Types.STRING())
c = b.map(lambda v, n=n: v * n, Types.STRING())
d = c.map(tools.cached, Types.STRING()).map(tools.shape, Types.STRING()).map(tools.apply_all, Types.STRING())
e = d.key_by(lambda v: v[0], Types.STRING()).process(Count("one", Types.STRING()), Types.STRING()).uid("count")
f = e.key_by(lambda v: v[0], Types.STRING()).process(Held(ValueStateDescriptor("held", Types.LONG())), Types.STRING())
f.uid("held").print()
env.execute()
"""
METHODS = (
    "    def open(self, context):\n        self.last = context.get_state(self.held)\n\n",
    "    def process_element(self, value, context):\n        yield value\n\n",
)
RESULT = [
    ("tools", "LIMIT += 1", "LIMIT += 2"),
    ("tools", "LIMIT = 5", "LIMIT = 6"),
    ("tools", '("x", "y")', '("x", "y", "w")'),
    ("tools", 'append("z")', 'append("zz")'),
    ("tools", "EDGE = 10", "EDGE = 11"),
    ("tools", "LIMIT > 3", "LIMIT > 4"),
    ("tools", 'return v + "1"', 'return v + "2"'),
    ("tools", '@register("one")', '@register("two")'),
    ("tools", '@register("one")\n', ""),
    ("tools", "v.upper()", "v.lower()"),
    ("tools", 'return "s" + v', 'return "t" + v'),
    ("tools", "return self.a + 1", "return self.a + 2"),
    ("tools", "LOW = 1", "LOW = 2"),
    ("job", "Config(a=2)", "Config(a=3)"),
    ("job", '[("p", 1), ("q", 2)]', '[("q", 2), ("p", 1)]'),
    ("job", '{("w", 1)}', '{("w", 2)}'),
    ("job", '"g": 1', '"g": 2'),
    ("job", 'Sized("3")', 'Sized("4")'),
    ("job", 'Sized("3")', "Sized(3)"),
    ("job", "n = 5", "n = 6"),
    ("job", 'value + "x"', 'value + "y"'),
]
STATE = [
    ('Count("one", Types.STRING())', 'Count("uno", Types.STRING())'),
    ('Count("one", Types.STRING())', 'Count("one", Types.LONG())'),
    ('NAME = "class"', 'NAME = "other"'),
    ("{self.name}-3", "{self.name}-4"),
    ('declared("four")', 'declared("for")'),
    ('"held", Types.LONG()', '"kept", Types.LONG()'),
    ('"held", Types.LONG()', '"held", Types.STRING()'),
    ("name=name, value_type_info=Types.STRING()", "name=name, value_type_info=Types.LONG()"),
]
NONE = [
    ("job", "c = b.map", "other = 1\nc = b.map"),
    ("job", '    ds = value + "x"\n    return [tools for tools in ds][0]',
     '    long: str = value + "x"\n    return [one for one in long][0]'),
    ("job", "lambda v, n=n: v * n", "lambda w, n=n: w * n"),
    ("job", "name=name, value_type_info=Types.STRING()", "name, Types.STRING()"),
    ("tools", "def one(v):", "def one(v: str) -> str:"),
    ("tools", "EDGE = 20\n", "EDGE = 20\nUNUSED = 3\n"),
    ("job", METHODS[0] + METHODS[1], METHODS[1] + METHODS[0]),
    ("tools", "def cached(v):\n", 'def cached(v):\n    """Upper."""\n'),
]  # fmt: skip


def snapshot(folder: Path, job: str, tools: str) -> Snapshot:
    folder.mkdir()
    (folder / "tools.py").write_text(tools, encoding="utf-8")
    (folder / "job.py").write_text(job, encoding="utf-8")
    (loaded,) = load_jobs(folder / "job.py")
    return take_snapshot(plan(loaded, until="execution"))


def worst(tmp_path: Path, where: str, before: str, after: str) -> str | None:
    assert before in (JOB if where == "job" else TOOLS)
    old = snapshot(tmp_path / "old", JOB, TOOLS)
    edited = {"job": JOB, "tools": TOOLS}
    edited[where] = edited[where].replace(before, after)
    found = {change.level for change in find_changes(compare(old, snapshot(tmp_path / "new", **edited)))}
    return next((level for level in LEVELS if level in found), None)


@pytest.mark.parametrize("edit", RESULT, ids=lambda edit: f"{edit[1]} -> {edit[2]}")
def test_what_a_function_computes_is_compared(edit: tuple[str, str, str], tmp_path: Path) -> None:
    assert worst(tmp_path, *edit) == "result"


@pytest.mark.parametrize("edit", STATE, ids=lambda edit: f"{edit[0]} -> {edit[1]}")
def test_states_are_compared_by_what_their_names_and_types_are(edit: tuple[str, str], tmp_path: Path) -> None:
    assert worst(tmp_path, "job", *edit) == "state-breaking"


@pytest.mark.parametrize("edit", NONE, ids=lambda edit: edit[2].split("\n", maxsplit=1)[0])
def test_what_changes_nothing_is_no_change(edit: tuple[str, str, str], tmp_path: Path) -> None:
    assert worst(tmp_path, *edit) is None
