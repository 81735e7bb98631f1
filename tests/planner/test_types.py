"""A user's editor and type checker know every public name of `planner`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from mypy import api

import planner

ROOT = Path(planner.__file__).parents[1]
JOB = """\
from collections.abc import Iterator

from planner import (
    KeyedProcessFunction, MapFunction, Row, RuntimeContext, StreamExecutionEnvironment, Types, ValueStateDescriptor,
)


class Double(MapFunction):
    def map(self, number: int) -> int:
        return 2 * number


class Changes(KeyedProcessFunction):
    def open(self, context: RuntimeContext) -> None:
        self.last = context.get_state(ValueStateDescriptor("last", Types.LONG()))

    def process_element(self, value: int, ctx: KeyedProcessFunction.Context) -> Iterator[Row]:
        if self.last.value() != value:
            yield Row(ctx.get_current_key(), value)
        self.last.update(value)


env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(2)
numbers = env.from_sequence(1, 10).map(Double(), output_type=Types.LONG()).name("double")
numbers.key_by(lambda number: number % 3).process(Changes()).print()
env.execute("sample")
"""
WRONG = """\
from planner import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism("four")
env.from_sequence(1, 10).mapp(str)
"""


def check(path: Path, text: str) -> tuple[str, int]:
    path.write_text(text, encoding="utf-8")
    options = ["--strict", "--no-error-summary", "--follow-imports=silent", "--cache-dir", str(ROOT / ".mypy_cache")]
    said, failed, status = api.run([*options, "--config-file=", str(path)])
    assert not failed, failed
    return said, status


@pytest.fixture(autouse=True)
def mypy_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", str(ROOT))


def test_a_sample_job_is_checked_strictly_and_every_name_has_a_type(tmp_path: Path) -> None:
    names = "".join(f"reveal_type(planner.{name})\n" for name in planner.__all__)
    said, _ = check(tmp_path / "sample.py", f"import planner\n{JOB}{names}")
    lines = [line for line in said.splitlines() if "Revealed type" not in line]
    assert lines == []
    revealed = [line for line in said.splitlines() if "Revealed type" in line]
    assert len(revealed) == len(planner.__all__)
    assert [line for line in revealed if line.endswith('is "Any"')] == []


def test_mistakes_are_found(tmp_path: Path) -> None:
    said, status = check(tmp_path / "wrong.py", WRONG)
    assert status == 1
    assert 'incompatible type "str"; expected "int"' in said
    assert '"DataStream" has no attribute "mapp"' in said


def test_the_stub_names_what_the_package_has() -> None:
    tree = ast.parse((ROOT / "planner" / "__init__.pyi").read_text(encoding="utf-8"))
    homes = {alias.name: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert homes == planner._HOME_OF  # type: ignore[attr-defined]
    assert {*homes, *functions} == {*planner.__all__}
