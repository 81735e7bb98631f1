"""Streaming jobs on a local Spark session: sources, sinks, restarts and failures."""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner import (
    KeyedProcessFunction,
    ReaderSource,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
    WriterSink,
)
from planner.errors import ExecutionError, OptionError
from planner.job import JobDefinition
from spark_runner.executor.rows import printed
from spark_runner.executor.written import NUMBER, SUBTASK
from spark_runner.streaming.queries.sinks import BatchWriter
from tests.spark_runner.streaming.conftest import Running
from tests.support.stream_jobs import random_job
from tests.support.stream_reference import Reference

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
LINE = Types.ROW_NAMED(["value"], [Types.STRING()])


@pytest.mark.parametrize(("seed", "kind"), [(8, "session"), (1, "remembering"), (4, "keyed_broadcast")])
def test_random_jobs_give_on_spark_what_the_reference_gives(stream: Running, seed: int, kind: str) -> None:
    job = random_job(seed, kind)
    outcome = stream(job, slice_size=9)
    reference = Reference(job)
    wanted = {
        reference.graph.by_id[node].operator.key: [printed(value) for _, value in records]
        for node, records in reference.run().items()
    }
    assert {key: outcome.texts(key) for key in outcome.printed} == wanted
    assert len(outcome.batches) > 2


def lines(folder: Path, **texts: str) -> None:
    """Files of lines, each newer than the last."""
    folder.mkdir(exist_ok=True)
    for number, (name, text) in enumerate(texts.items(), start=len(list(folder.iterdir()))):
        (folder / f"{name}.txt").write_text(text)
        os.utime(folder / f"{name}.txt", (1_700_000_000 + number, 1_700_000_000 + number))


def word_count(folder: Path, *, poison: str = "", uid: str = "counts", extra: bool = False) -> JobDefinition:
    """Files of words to running counts in parquet files."""
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    source = ReaderSource("text", str(folder / "in"), {"maxFilesPerTrigger": 1}, bounded=False)
    words = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines", LINE)

    def pairs(line: Any) -> list[tuple[str, int]]:
        if poison and poison in line:
            raise ValueError("a poison record")
        return [(word, 1) for word in line.split()]

    stream = words.flat_map(pairs, output_type=PAIR)
    if extra:
        stream = stream.filter(lambda pair: pair[0] != "x")
    counts = stream.key_by(lambda pair: pair[0], key_type=Types.STRING()).sum(1).uid(uid)
    counts.sink_to(WriterSink("parquet", str(folder / "out")))
    return env.build("word count")


def written(spark: Any, folder: Path) -> Counter[tuple[str, int]]:
    """The records that the manifest says are there."""
    found: Counter[tuple[str, int]] = Counter()
    for entry in (folder / "out" / "_manifest").glob("batch*.json"):
        frame = spark.read.parquet(str(folder / "out" / json.loads(entry.read_text())["folder"]))
        found.update((row[0], row[1]) for row in frame.collect())
    return found


def test_files_are_counted_exactly_once_over_restarts_failures_and_changes(
    spark: Any, stream: Running, tmp_path: Path
) -> None:
    lines(tmp_path / "in", one="a b a\nc", two="b")
    outcome = stream(word_count(tmp_path))
    assert outcome.result is not None and outcome.result.sinks[0].records == 5
    assert written(spark, tmp_path) == Counter([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1)])

    lines(tmp_path / "in", three="a", four="a b bad")
    (three,) = (tmp_path / "in").glob("three*")
    os.utime(three, (1e9, 1e9))  # moved here, and much older than what was read: Flink takes it all the same
    with pytest.raises(ExecutionError) as caught:
        stream(word_count(tmp_path, poison="bad"))
    assert "operator 'flat_map-1' (Flat Map) failed: ValueError: a poison record" in caught.value.message
    assert "record: 'a b bad'" in caught.value.message

    stream(word_count(tmp_path, extra=True))  # a stateless operator more
    assert written(spark, tmp_path) == Counter(
        [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1), ("a", 3), ("a", 4), ("b", 3), ("bad", 1)]
    )
    with pytest.raises(OptionError, match="holds state of operator 'counts'"):
        stream(word_count(tmp_path, uid="other"))
    with pytest.raises(ExecutionError, match="exists already, and this checkpoint is new"):
        stream(word_count(tmp_path), checkpoint="another")


def test_a_checkpoint_in_use_is_refused(stream: Running, tmp_path: Path) -> None:
    from spark_runner.streaming.checkpoint import Checkpoint

    other = Checkpoint(tmp_path / "checkpoint")
    other.claim("20260101-000000-abcd")
    with pytest.raises(OptionError, match="run 20260101-000000-abcd uses the checkpoint"):
        stream(word_count(tmp_path))


def test_sql_runs_behind_a_reader_and_in_front_of_sinks(spark: Any, stream: Running, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("a,1\nb,2\nc,3\nd,4\n")
    env = StreamExecutionEnvironment()
    env.set_parallelism(1)
    kind = Types.ROW_NAMED(["name", "number"], [Types.STRING(), Types.LONG()])
    rows = env.from_source(
        ReaderSource("csv", str(tmp_path / "in"), bounded=True), WatermarkStrategy.no_watermarks(), "rows", kind
    )
    doubled = rows.filter("number > 1").map(lambda row: (row.name, row["number"] * 2), output_type=PAIR)
    upper = doubled.map({"name": "upper(f0)", "twice": "f1"})
    upper.print()
    upper.sink_to(WriterSink("json", str(tmp_path / "out")))
    taken: list[Any] = []
    doubled.add_sink(taken.append)
    outcome = stream(env.build("sql"))
    assert outcome.texts("print-1") == ["+I[B, 4]", "+I[C, 6]", "+I[D, 8]"]
    assert spark.read.json(str(tmp_path / "out" / "batch=0")).count() == 3


class Waking(KeyedProcessFunction):  # type: ignore[misc]
    """Answers every key once, a moment after its first record."""

    def open(self, runtime_context: Any) -> None:
        self.seen: set[Any] = set()

    def process_element(self, value: Any, ctx: Any) -> Any:
        if value[0] not in self.seen:
            self.seen.add(value[0])
            service = ctx.timer_service()
            service.register_processing_time_timer(service.current_processing_time() + 10)
        return ()

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        yield f"woke {ctx.get_current_key()}"


def test_timers_of_processing_time_fire_without_records(stream: Running) -> None:
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    pairs = env.from_collection([("a", 1), ("b", 2), ("a", 3)])
    pairs.key_by(lambda pair: pair[0]).process(Waking()).print()
    outcome = stream(env.build("waking"), interval=100, until=lambda so_far: len(so_far.texts("print-1")) == 2)
    assert sorted(outcome.texts("print-1")) == ["woke a", "woke b"]


def test_a_rate_source_runs_until_it_is_stopped_and_goes_on(stream: Running) -> None:
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    source = ReaderSource("rate", options={"rowsPerSecond": 50})
    rows = env.from_source(source, WatermarkStrategy.no_watermarks(), "rate")
    kept = rows.map(lambda row: ("even" if row["value"] % 2 == 0 else "odd", 1))
    kept.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
    job = env.build("rate")
    first = stream(job, interval=0, until=lambda so_far: len(so_far.texts("print-1")) > 10)
    second = stream(job, interval=0, until=lambda so_far: len(so_far.texts("print-1")) > 10)
    numbers = [text for run in (first, second) for text in run.texts("print-1")]
    assert Counter(text.split(",")[0] for text in numbers).keys() == {"(even", "(odd"}
    assert len(set(numbers)) == len(numbers)  # a count never comes twice: state went on, and nothing was replayed


def test_a_sink_that_fails_leaves_the_batch_to_the_next_run(stream: Running, tmp_path: Path) -> None:
    def job(broken: bool) -> JobDefinition:
        def take(value: Any) -> None:
            if broken and value[1] == 3:
                raise OSError("no room for it")

        env = StreamExecutionEnvironment()
        env.set_parallelism(1)
        sums = env.from_collection([("a", 1), ("a", 2), ("b", 4)], PAIR).key_by(lambda pair: pair[0]).sum(1).uid("sums")
        sums.print()
        sums.add_sink(take)
        return env.build("sink")

    with pytest.raises(ExecutionError) as caught:
        stream(job(broken=True))
    assert "operator 'sink-1' (Sink: Unnamed) failed: OSError: no room for it" in caught.value.message
    assert stream(job(broken=False)).texts("print-1") == ["(a,1)", "(a,3)", "(b,4)"]


def test_what_the_cluster_lost_passes_and_what_the_job_did_does_not() -> None:
    from spark_runner.executor.failures import Failure, OperatorFailed
    from spark_runner.streaming.passing import passes

    lost = "Job aborted due to stage failure: ExecutorLostFailure (executor 1 exited by itself)"
    failed = Failure(operator="map-1", name="Map", place="job.py:1", problem="ValueError: x", record=None, lines=())
    assert passes(RuntimeError(lost))
    assert not passes(RuntimeError("disk full"))
    assert not passes(RuntimeError(f"{lost}: {OperatorFailed(failed)}"))


def test_counts_are_those_of_all_attempts(spark: Any, tmp_path: Path) -> None:
    from planner.pipeline import plan
    from spark_runner.clusters.request import RunRequest
    from spark_runner.lowering.lower import lower
    from spark_runner.streaming.running import StreamWork

    lines(tmp_path / "in", one="a b", two="a a", three="b bad", four="c")
    mended = tmp_path / "mended"
    env = StreamExecutionEnvironment()
    source = ReaderSource("text", str(tmp_path / "in"), {"maxFilesPerTrigger": 1}, bounded=True)

    def pairs(line: Any) -> list[tuple[str, int]]:
        if "bad" in line and not Path(mended).exists():
            raise ValueError("not yet")
        return [(word, 1) for word in line.split()]

    words = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines", LINE).flat_map(pairs, output_type=PAIR)
    words.key_by(lambda pair: pair[0], key_type=Types.STRING()).sum(1).uid("counts").print()
    job = env.build("attempts")
    request = RunRequest(job="job.py", folder=str(tmp_path), mode="streaming")
    work = StreamWork(lower(plan(job), "streaming"), request, tmp_path)
    work.claim("test")
    try:
        with pytest.raises(ExecutionError, match="not yet"):
            work.execute(spark, lambda event: None)
        mended.touch()
        result = work.execute(spark, lambda event: None)
    finally:
        work.release()
    counts = {one.key: (one.records_in, one.records_out) for vertex in result.vertices for one in vertex.operators}
    assert counts["flat_map-1"] == (4, 7) and counts["counts"] == (7, 7)


def test_records_for_kafka_have_numbers_of_their_own(
    stream: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several Spark tasks read for one subtask; what it sends is numbered through all of them."""
    marks: list[tuple[int, int]] = []

    def numbered(writer: BatchWriter, sink: Any, rows: Any, batch: int) -> None:
        found = writer.columns(sink, rows, numbered=True).select(SUBTASK, NUMBER).collect()
        marks.extend((row[0], row[1]) for row in found)

    monkeypatch.setattr(BatchWriter, "write", numbered)
    (tmp_path / "in").mkdir()
    for number in range(8):
        (tmp_path / "in" / f"{number}.txt").write_text("one\ntwo\nthree\n")
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    reader = ReaderSource("text", str(tmp_path / "in"), bounded=True)
    lines = env.from_source(reader, WatermarkStrategy.no_watermarks(), "lines", LINE)
    lines.map(str.upper, output_type=Types.STRING()).sink_to(WriterSink("noop"))
    stream(env.build("numbered"))
    assert len(marks) == 24 == len(set(marks))


def test_a_batch_without_records_for_its_only_sink_writes_nothing(stream: Running, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number, text in enumerate(("keep\n", "drop\n", "keep\nkeep\n")):
        file = tmp_path / "in" / f"{number}.txt"
        file.write_text(text)
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    reader = ReaderSource("text", str(tmp_path / "in"), {"maxFilesPerTrigger": 1}, bounded=True)
    lines = env.from_source(reader, WatermarkStrategy.no_watermarks(), "lines", LINE)
    kept = lines.filter(lambda line: line == "keep").map(lambda line: (line, 1), output_type=PAIR)
    kept.sink_to(WriterSink("json", str(tmp_path / "out")))
    outcome = stream(env.build("sparse"))
    written = sorted(path.name for path in (tmp_path / "out").iterdir() if path.name.startswith(("batch", ".b")))
    assert written == ["batch=0", "batch=2"]
    assert outcome.result is not None and outcome.result.sinks[0].records == 3


def test_a_writer_that_cannot_write_says_so_once(stream: Running) -> None:
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    sums = env.from_collection([("a", 1)], PAIR).key_by(lambda pair: pair[0]).sum(1).uid("sums")
    sums.sink_to(WriterSink("nosuch"))
    with pytest.raises(ExecutionError) as caught:
        stream(env.build("sink"))
    assert caught.value.message.startswith("operator 'sink-1' (Sink: Writer) could not be written: ")
    assert "ExecutionError" not in caught.value.message and caught.value.operator == "sink-1"


def test_state_of_another_version_is_refused(stream: Running, tmp_path: Path) -> None:
    lines(tmp_path / "in", one="a")
    stream(word_count(tmp_path))
    plan = tmp_path / "checkpoint" / "plan.json"
    written = json.loads(plan.read_text())
    for changed, said in (({"version": 1}, "written by another version of plan"), ({"python": "2.7"}, "of Python 2.7")):
        plan.write_text(json.dumps({**written, **changed}))
        with pytest.raises(OptionError, match=said):
            stream(word_count(tmp_path))


def test_batches_leave_nothing_behind_in_the_jvm(stream: Running, tmp_path: Path) -> None:
    from py4j.finalizer import ThreadSafeFinalizer  # type: ignore[import-untyped]

    lines(tmp_path / "in", **{f"f{number}": "a b" for number in range(4)})
    held: list[int] = []  # how many objects of the JVM Python still refers to

    def seen(outcome: Any) -> bool:
        held.append(len(ThreadSafeFinalizer.finalizers))
        return False

    gc.collect()
    gc.disable()  # a stream makes so few objects that Python alone would not look for garbage for hours
    try:
        stream(word_count(tmp_path), until=seen)
    finally:
        gc.enable()
    assert len(held) >= 4
    assert held[-1] <= held[1]
