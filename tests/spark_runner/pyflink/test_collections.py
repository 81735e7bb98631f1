"""`from_collection` takes, refuses and converts what real PyFlink 2.3 does: every type with every kind of value.

collections.jsonl.xz was recorded with PyFlink's own Python, Java's own converters and serializers, and the coders of
PyFlink's workers; 17 of its cells were seen in whole jobs too. In each line: a type, a value, why it was refused when
the source was made, what Java prints of the record, and what a Python function gets.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planner.frontends.python.stand_in import pyflink_stand_in
from planner.frontends.python.values.records import record_of
from spark_runner.executor.conversion import converter
from spark_runner.executor.formats.java_text import java_text
from spark_runner.executor.formats.object_text import object_text
from spark_runner.lowering.scripts.forms import collected, form_of
from tests.support.pyflink_engine import EngineRun

RECORDED = lzma.decompress(Path(__file__).with_name("collections.jsonl.xz").read_bytes()).decode()
CELLS = [json.loads(line) for line in RECORDED.splitlines()]
# the script's own classes
NAMES = """
import datetime, uuid, enum
from collections import namedtuple
from dataclasses import dataclass
from decimal import Decimal
from pyflink.common import Row, Types, Instant
class Thing:
    def __init__(self, **kw): self.__dict__.update(kw)
    def __repr__(self): return "Thing(%s)" % ", ".join(f"{k}={v!r}" for k, v in self.__dict__.items())
@dataclass
class Data:
    a: int
    b: str
class Slots:
    __slots__ = ("a",)
    def __init__(self, a): self.a = a
    def __repr__(self): return f"Slots({self.a!r})"
Pair = namedtuple("Pair", ["a", "b"])
class MyInt(int): pass
class MyStr(str): pass
class Empty: pass
class Color(enum.Enum):
    RED = 1
"""
HASH = re.compile(r"@[0-9a-f]+")  # Java's number of an array, another one in every run
# PyFlink's own workers misread a BigInteger; what is pickled must be bytes of a pickle, which these are not
NOT_COMPARED = re.compile(r"BIG_INT|PICKLED|CHAR\(\)\]\) .*b'ab'|STRING\(\).* \(?Instant")


@pytest.fixture
def things(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    module = types.ModuleType("things")
    with pyflink_stand_in():
        monkeypatch.setitem(sys.modules, "things", module)
        exec(compile(NAMES, "things.py", "exec"), module.__dict__)
        yield module.__dict__


def _seen(value: Any) -> str:
    return HASH.sub("@", f"{type(value).__name__} {value!r}")


def test_every_value_with_every_type(things: dict[str, Any]) -> None:
    """One rule for plans and runs: refused when the source is made, or a record that is read and printed alike."""
    wrong = []
    for cell in CELLS:
        name = f"{cell['type']} {cell['value']}"
        if NOT_COMPARED.search(name):
            continue
        kind, value = eval(cell["type"], things), eval(cell["value"], things)
        try:
            record = record_of(value, kind, object_text)
        except Exception as error:
            if cell["refused"] is None:
                wrong.append(f"{name}: refused here with {error!r}")
            continue
        if cell["refused"] is not None:
            wrong.append(f"{name}: {record!r} here, refused by PyFlink: {cell['refused']}")
            continue
        form = form_of(kind)
        # arrays have no text; the order of equal hashes in a map is Java's
        if not (cell["text"] or "").startswith("[") and "'BB'" not in name:
            text = HASH.sub("@", java_text(record, form))
            if text != HASH.sub("@", cell["text"]):
                wrong.append(f"{name}: printed as {text}, by Java as {cell['text']}")
        if cell["seen"] is not None and not cell["seen"].startswith("dict") and "LIST(" not in name:
            seen = _seen(converter(form)(record))
            if seen != HASH.sub("@", cell["seen"]):
                wrong.append(f"{name}: functions get {seen}, in PyFlink {cell['seen']}")
    assert not wrong, "\n".join(wrong)
    assert len(CELLS) > 3000


def test_a_source_ends_at_a_null(things: dict[str, Any]) -> None:
    kind = things["Types"].BIG_DEC()
    decimal = things["Decimal"]
    assert collected(kind, [decimal("1.5"), 1, decimal("2.5")]) == [decimal("1.5")]


def test_objects_and_other_types_run(tmp_path: Path) -> None:
    """What public scripts do: objects as rows, numbers declared STRING, rows that lack a name."""
    script = tmp_path / "script.py"
    script.write_text(
        "from pyflink.common import Types\n"
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "class Order:\n"
        "    def __init__(self, item, price):\n"
        "        self.item, self.price = item, price\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.set_parallelism(1)\n"
        "named = Types.ROW_NAMED(['item', 'price'], [Types.STRING(), Types.DOUBLE()])\n"
        "env.from_collection([Order('tea', 1.5), {'item': 2}, ('milk', 3)], named).print()\n"
        "env.from_collection([1, 2.5, True], Types.STRING()).map(lambda v: v + '!', Types.STRING()).print()\n"
        "env.execute()\n"
    )
    assert EngineRun().run(script) == ["+I[tea,1.5]", "+I[2,None]", "+I[milk,None]", "1!", "2.5!", "true!"]
