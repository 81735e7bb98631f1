"""Only the columns that are read go to the workers: results, refused input and failures are as with all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planner.errors import ExecutionError
from planner.frontends.loading import load_job
from planner.job import JobDefinition
from planner.pipeline import plan
from spark_runner.executor.failures import Failure
from spark_runner.executor.rows import row_class
from spark_runner.frames.whole_records import told_whole
from spark_runner.lowering.lower import lower

Job = Callable[..., JobDefinition]

SCRIPT = """
from planner import KeyedCoProcessFunction, KeyedProcessFunction, ReaderSource, StreamExecutionEnvironment, Types
from planner import ValueStateDescriptor, WatermarkStrategy

SEVEN = WHERE
EVENT = Types.ROW_NAMED(["user", "n", "text", "at"], [Types.STRING(), Types.LONG(), Types.STRING(), Types.LONG()])
COUNT = Types.TUPLE([Types.STRING(), Types.LONG()])


class Counts(KeyedProcessFunction):
    def open(self, runtime_context):
        self.sum = runtime_context.get_state(ValueStateDescriptor("sum", Types.LONG()))

    def process_element(self, value, ctx):
        if SEVEN == "keyed" and value.n == 7:
            raise ValueError("seven")
        self.sum.update((self.sum.value() or 0) + value["n"])
        yield ctx.get_current_key(), self.sum.value()


class Meets(KeyedCoProcessFunction):
    def open(self, runtime_context):
        self.kept = runtime_context.get_state(ValueStateDescriptor("kept", EVENT))

    def process_element1(self, value, ctx):
        self.kept.update(value)

    def process_element2(self, value, ctx):
        if SEVEN == "second" and value.n == 7:
            raise ValueError("seven")
        if self.kept.value() is not None:
            yield str(self.kept.value().n), value.n


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
in_order = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner("at")
events = env.from_source(ReaderSource("FORMAT", "events", {}), in_order, "events", EVENT)
again = env.from_source(ReaderSource("FORMAT", "events", {}), in_order, "again", EVENT)
odd = again.filter(lambda value: 7 // (value.n - (7 if SEVEN == "filter" else 1000)) != 99).filter(
    lambda value: value["n"] % 2 == 1
)
events.map(lambda value: (value.user, 7 // (value.n - (7 if SEVEN == "map" else 1000))), output_type=COUNT).print()
events.key_by("user").process(Counts(), output_type=COUNT).print()
odd.key_by(lambda value: value.user).process(Counts(), output_type=COUNT).print()
odd.connect(events).key_by("user", "user").process(Meets(), output_type=COUNT).print()
env.execute("narrow")
"""


@pytest.fixture(params=["parquet", "csv"])
def job(request: pytest.FixtureRequest, spark: Any, tmp_path: Path) -> Job:
    events = spark.range(0, 30, 1, 3).selectExpr(
        "concat('u', id % 4) user", "id n", "concat('text ', id) text", "1000 - id at"
    )
    events.write.format(request.param).save(str(tmp_path / "events"))

    def make(seven: str = "nowhere") -> JobDefinition:
        text = SCRIPT.replace("WHERE", repr(seven)).replace("FORMAT", request.param)
        (tmp_path / "job.py").write_text(text)
        return load_job(tmp_path / "job.py")

    return make


def test_results_and_counts_are_those_of_whole_records(run: Any, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    program = lower(plan(job()))
    read = [inlet.read for one in program.passes for inlet in one.inlets]
    assert read.count(("user", "n")) == 2 and ("n",) in read, "nothing is narrow, so nothing would be tried"
    assert ("user", "n") in [outlet.read for one in program.passes for outlet in one.outlets]
    narrow = run(job())
    monkeypatch.setattr("spark_runner.lowering.lower.pruned", tuple)
    whole = run(job())
    assert narrow.printed == whole.printed
    assert narrow.counts == whole.counts
    assert sum(narrow.printed["print-2"].values()) == 30


@pytest.mark.parametrize("seven", ["keyed", "second", "filter", "map"])
def test_a_record_that_fails_is_told_as_a_whole(run: Any, job: Job, seven: str) -> None:
    with pytest.raises(ExecutionError) as caught:
        run(job(seven))
    assert "record: Row(user='u3', n=7, text='text 7', at=993)" in str(caught.value)
    assert 'job.py", line' in str(caught.value)


def test_a_record_that_is_not_found_again_says_that_it_is_not_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "job.py").write_text(SCRIPT.replace("WHERE", "''").replace("FORMAT", "parquet"))
    program = lower(plan(load_job(tmp_path / "job.py")))
    number = next(at for at, one in enumerate(program.passes) if one.inlets and one.inlets[0].read)
    came = "Row(user='u3', n=7, text=None, at=None)"
    failure = Failure(operator="o", name="o", place="", problem="p", record=came, row=(number, 7))
    found: list[tuple[object, ...]] = [tuple.__new__(row_class(("user", "n", "text", "at")), ("u3", 8, "text 8", 1))]
    monkeypatch.setattr(
        "spark_runner.frames.whole_records._read_again", lambda *_: (("user", "n", "text", "at"), found)
    )
    assert told_whole(failure, program, None).record == f"{came} (fields that no function reads are None here)"  # type: ignore[arg-type]
    found[0] = tuple.__new__(type(found[0]), ("u3", 7, "text 7", 1))
    assert told_whole(failure, program, None).record == "Row(user='u3', n=7, text='text 7', at=1)"  # type: ignore[arg-type]


def test_a_text_file_is_refused_for_a_column_that_nobody_reads(run: Any, job: Job, tmp_path: Path) -> None:
    found = job()
    if "csv" not in str(found.operators[0].behaviour):
        return
    (tmp_path / "events" / "more.csv").write_text("u1,5,five,no number\n")
    with pytest.raises(ExecutionError, match="does not fit its schema"):
        run(found)
    (tmp_path / "job.yaml").write_text(ONE_COLUMN)
    (tmp_path / "beside.py").write_text("def name(value):\n    return value.user\n")
    with pytest.raises(ExecutionError, match="does not fit its schema"):
        run(load_job(tmp_path / "job.yaml"))


ONE_COLUMN = """
operators:
  - {id: in, type: source, format: csv, path: events, schema: "user string, n bigint, text string, at bigint"}
  - {id: names, type: map, input: in, function: "beside.py:name", output: "value string"}
  - {id: out, type: print, input: names}
"""
