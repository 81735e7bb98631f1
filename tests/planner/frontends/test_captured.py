"""A run keeps functions as they are when their operator is declared, as PyFlink does by pickling them in the call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.loading import load_job
from planner.frontends.python_files.handover import LoadOptions
from planner.job import Collection, JobDefinition, Operator, PythonFunction
from spark_runner.clusters.request import RunRequest
from spark_runner.frames.shipping import kept
from spark_runner.runs.preparation import prepare

OURS = "from planner import MapFunction, StreamExecutionEnvironment, Types\n"
PYFLINK = (
    "from pyflink.common import Types\n"
    "from pyflink.datastream import MapFunction, StreamExecutionEnvironment\n"
    "from pyflink.datastream.functions import KeySelector\n"
)
ENVIRONMENT = "env = StreamExecutionEnvironment.get_execution_environment()\n"
BOTH = pytest.mark.parametrize("imports", [OURS, PYFLINK], ids=["planner", "pyflink"])


def job_of(folder: Path, imports: str, body: str) -> JobDefinition:
    return load_job(script_of(folder, imports, body), LoadOptions(keep=kept))


def script_of(folder: Path, imports: str, body: str) -> Path:
    file = folder / "job.py"
    file.write_text(imports + ENVIRONMENT + dedent(body) + "\nenv.execute()\n")
    return file


def functions(job: JobDefinition, kind: str) -> list[Any]:
    found = [o.behaviour for o in job.operators if o.kind == kind and isinstance(o.behaviour, PythonFunction)]
    return [behaviour.target for behaviour in found]


@BOTH
def test_a_variable_of_a_loop(tmp_path: Path, imports: str) -> None:
    job = job_of(
        tmp_path,
        imports,
        """
        s = env.from_collection([1, 20, 300])
        for limit in [0, 10, 100]:
            s = s.filter(lambda x: x > limit)
        s.print()
        """,
    )
    assert [[keep(x) for x in (1, 20, 300)] for keep in functions(job, "filter")] == [
        [True, True, True],
        [False, True, True],
        [False, False, True],
    ]


@BOTH
def test_a_def_in_a_loop_and_the_globals_it_reads(tmp_path: Path, imports: str) -> None:
    job = job_of(
        tmp_path,
        imports,
        """
        def add(x):
            return x + step()
        def step():
            return size
        def build():
            s = env.from_collection([1])
            for factor in (2, 3):
                def times(x):
                    return x * factor
                s = s.map(times)
            return s
        size = 5
        s = build().map(add)
        size = 7
        s.map(add).print()
        """,
    )
    assert [f(1) for f in functions(job, "map")[:4]] == [2, 3, 6, 8]


@BOTH
def test_objects_that_change_later(tmp_path: Path, imports: str) -> None:
    job = job_of(
        tmp_path,
        imports,
        """
        class Add(MapFunction):
            def __init__(self, n): self.n = n
            def map(self, value): return value + self.n
        names = {"a": 1}
        records = [[1], [2]]
        add = Add(1)
        s = env.from_collection(records).map(lambda r: r[0]).map(add).map(lambda x: dict(names, x=x))
        add.n = 100
        names["a"] = 100
        records[0].append("later")
        s.print()
        """,
    )
    first, second, third = functions(job, "map")[:3]
    assert (first([7]), second.map(7), third(7)) == (7, 8, {"a": 1, "x": 7})
    source = job.operators[0].behaviour
    assert isinstance(source, Collection)
    assert source.records == ([1], [2])


def test_selectors_windows_and_assigners_of_pyflink(tmp_path: Path) -> None:
    job = job_of(
        tmp_path,
        PYFLINK,
        """
        from pyflink.common import Time, WatermarkStrategy
        from pyflink.common.watermark_strategy import TimestampAssigner
        from pyflink.datastream.window import TumblingEventTimeWindows
        class Stamp(TimestampAssigner):
            def extract_timestamp(self, value, record_timestamp): return value * unit
        unit = 1000
        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())
        s = env.from_collection([1, 2]).assign_timestamps_and_watermarks(strategy).key_by(lambda x: x % unit)
        s.window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(lambda a, b: a + b + unit).print()
        unit = 1
        """,
    )
    operators = {o.helper or o.kind: o for o in job.operators if o.behaviour is not None}
    assert targets(operators["timestamps"]).extract_timestamp(2, 0) == 2000
    assert targets(operators["key_by"])(1001) == 1
    window = operators["window_reduce"].run
    assert window is not None
    assert window.window is not None
    assert window.window.function(1, 2) == 1003


def targets(operator: Operator) -> Any:
    return getattr(operator.behaviour, "assigner", operator.behaviour).target


@BOTH
def test_classes_of_the_file_stay_the_same(tmp_path: Path, imports: str) -> None:
    """A record that one function makes is known to the next by its class."""
    job = job_of(
        tmp_path,
        imports,
        """
        from dataclasses import dataclass
        @dataclass
        class Word:
            text: str
        env.from_collection(["a"]).map(Word).filter(lambda w: isinstance(w, Word)).print()
        """,
    )
    assert functions(job, "filter")[0](functions(job, "map")[0]("a"))


@BOTH
def test_methods_read_globals_as_they_were_and_the_class_itself_stays(tmp_path: Path, imports: str) -> None:
    job = job_of(
        tmp_path,
        imports,
        """
        class Add(MapFunction):
            calls = 0
            def map(self, value): return value + size
            def count(self):
                global seen
                seen += size
        size, seen = 5, 0
        add = Add()
        s = env.from_collection([1]).map(add)
        size = 7
        add.count()
        assert seen == 7, seen
        assert add.map(1) == 8
        s.print()
        """,
    )
    assert functions(job, "map")[0].map(1) == 6


@BOTH
def test_what_cannot_be_pickled_is_explained_but_not_run(tmp_path: Path, imports: str) -> None:
    body = """
        import threading
        lock = threading.Lock()
        s = env.from_collection([1])
        s.map(lambda x: lock and x).print()
        """
    script = script_of(tmp_path, imports, body)
    assert load_job(script).operators
    with pytest.raises(JobDefinitionError) as refused:
        prepare(RunRequest(job=str(script), folder=str(tmp_path), master="local[1]"))
    line = script.read_text().splitlines().index("s.map(lambda x: lock and x).print()") + 1
    assert refused.value.location is not None
    assert refused.value.location.line == line
    assert "cannot pickle '_thread.lock' object" in refused.value.message
    assert "open()" in (refused.value.hint or "")


@pytest.mark.parametrize("imports", [OURS, PYFLINK], ids=["planner", "pyflink"])
def test_a_plan_keeps_the_functions_themselves(tmp_path: Path, imports: str) -> None:
    """Nothing is copied, and PySpark is not imported, where nothing will run."""
    script = script_of(tmp_path, imports, "env.from_collection([1]).map(len).print()")
    code = (
        "import sys; from planner.frontends.loading import load_job;"
        f"job = load_job({str(script)!r}); assert len in [getattr(o.behaviour, 'target', None) for o in job.operators];"
        "assert not [name for name in sys.modules if name.startswith('pyspark')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
