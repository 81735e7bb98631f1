"""The Python front end: the same job as in YAML, with the user's lines."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from planner import (
    JobDefinitionError,
    OutputTag,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    load_job,
    load_jobs,
)
from planner.frontends.yaml.loader import load_job_data
from planner.job import JobDefinition, Location, Operator, Transformation


def shape(job: JobDefinition) -> list[Transformation]:
    """The transformations without what only one front end can know."""
    bare: list[Transformation] = []
    for t in job.transformations:
        t = replace(t, location=Location("", 0))
        bare.append(replace(t, key="", behaviour=None, name=None) if isinstance(t, Operator) else t)
    return bare


def test_the_same_job_both_ways() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2).set_runtime_mode(RuntimeExecutionMode.BATCH)
    a, b = env.from_collection([1]), env.from_collection([2]).set_parallelism(1)
    p = a.union(b).rebalance().process(lambda v: v).uid("p").slot_sharing_group("g")
    late = p.get_side_output(OutputTag("late")).map(lambda v: v).start_new_chain()
    p.connect(late).key_by("x", "y").map(lambda v: v).print().disable_chaining()
    late.key_by("k").window(TumblingEventTimeWindows.of(Time.seconds(5))).reduce(lambda x, y: x)
    written = load_job_data(
        {
            "parallelism": 2,
            "runtime_mode": "batch",
            "operators": [
                {"id": "a", "type": "source"},
                {"id": "b", "type": "source", "parallelism": 1},
                {"id": "p", "type": "process", "input": {"from": ["a", "b"], "partition": "rebalance"}, "uid": "p",
                 "slot_sharing_group": "g"},
                {"id": "l", "type": "map", "input": {"from": "p", "side_output": "late"}, "chaining": "start_new"},
                {"id": "c", "type": "co_map", "inputs": ["p", "l"], "key_by": ["x", "y"]},
                {"id": "k", "type": "print", "input": "c", "chaining": "disable"},
                {"id": "w", "type": "window_reduce", "input": "l", "key_by": "k"},
            ],
        }
    )  # fmt: skip
    built = env.build()
    assert shape(built) == shape(written)
    assert (built.parallelism, built.runtime_mode) == (written.parallelism, written.runtime_mode)


def write(folder: Path, text: str, name: str = "job.py") -> str:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return str(folder / name)


HEAD = "from planner import *\nenv = StreamExecutionEnvironment.get_execution_environment()\n"


def test_every_call_of_a_chain_knows_its_own_line(tmp_path: Path) -> None:
    text = (
        HEAD
        + "(env.from_sequence(1, 3)\n  .map(\n    lambda v: v\n  )  # after\n  .name('x')  # plan: ignore[PL1] so\n"
    )
    job = load_job(write(tmp_path, text + "  .print())\nif __name__ == '__main__':\n  env.execute('j')\n"))
    assert [t.location.line for t in job.transformations] == [3, 4, 8]
    assert (job.name, job.location.line) == ("j", 10)


def test_several_jobs_are_listed_and_can_be_picked(tmp_path: Path) -> None:
    text = HEAD + "s = env.from_sequence(1, 3)\ns.print()\nenv.execute('a')\ns.map(print).print()\nenv.execute('b')\n"
    path = write(tmp_path, text)
    with pytest.raises(JobDefinitionError, match="'a', 'b'"):
        load_job(path)
    assert [o.kind for o in load_job(path + ":b").operators] == ["source", "map", "print"]
    with pytest.raises(JobDefinitionError, match="there is no job 'zzz'") as caught:
        load_job(path + ":zzz")
    assert caught.value.hint == "the file has: a, b", "the environment is no job once its jobs were executed"
    assert [job.name for job in load_jobs(path)] == ["a", "b"]


def test_build_and_job_are_found(tmp_path: Path) -> None:
    body = "def build():\n  env.from_sequence(1, 2).print()\n  return env\n"
    assert len(load_job(write(tmp_path, HEAD + body)).operators) == 2
    assert len(load_job(write(tmp_path, HEAD + body + "job = build()\n", "b.py")).operators) == 2


def test_helper_modules_of_two_jobs_stay_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, f"NAME = {name!r}\n", "helpers.py")
        text = HEAD + "import helpers\nenv.from_sequence(1, 2).print()\nenv.execute(helpers.NAME)\n"
        assert load_job(write(tmp_path / name, text)).name == name
    assert "helpers" not in sys.modules


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ("x = 1 / 0\n", 3, "ZeroDivisionError"),
        ("env.from_sequence(1, 2).mapp(1)\n", 3, "did you mean `map`"),
        ("env.from_sequence(1, 2).set_parallelism('4')\n", 3, "whole number"),
        ("env.from_sequence(1, 2).rebalance().name('x')\n", 3, "rebalance"),
        ("env.from_sequence(1, 2).key_by('a').rebalance()\n", 3, "keyed stream"),
        ("env.execute('x')\n", 3, "nothing to execute"),
        ("input()\n", 3, "waits for input"),
        ("raise SystemExit(3)\n", 3, "exit code 3"),
        ("def f(:\n", 3, "not valid Python"),
        ("env.from_sequence(1, 2).print()\n", 3, "never executed"),
    ],
)
def test_a_mistake_points_at_the_users_line(tmp_path: Path, body: str, line: int, says: str) -> None:
    with pytest.raises(JobDefinitionError) as caught:
        load_job(write(tmp_path, HEAD + body))
    assert caught.value.location is not None and caught.value.location.line == line
    assert says in str(caught.value)
    assert "planner/api" not in str(caught.value)


def test_prints_of_the_file_go_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load_job(write(tmp_path, HEAD + "print('hi')\nenv.from_sequence(1, 2).print()\nenv.execute()\n"))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "hi\n")


def test_types_as_ddl() -> None:
    nested = Types.ROW_NAMED(["a", "b c"], [Types.LIST(Types.INT()), Types.TUPLE([Types.STRING(), Types.LONG()])])
    assert nested.to_ddl() == "a array<int>, `b c` struct<f0: string, f1: bigint>"
    assert Types.STRING().to_ddl() == "value string"
    assert Types.PICKLED_BYTE_ARRAY().to_ddl() is None


def test_each_front_end_leaves_the_other_alone() -> None:
    code = (
        "import sys, planner; assert 'planner.job' not in sys.modules;"
        "import planner.frontends.yaml.loader; assert 'planner.frontends.python' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import sys, planner.frontends.python.environment; assert not {'yaml', 'pyspark'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
