"""Whether a job may continue from a checkpoint, without Spark: what is refused, with the operator and a next step."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path
from typing import Any

import pytest

from planner import StreamExecutionEnvironment, Time, TumblingEventTimeWindows, WatermarkStrategy
from planner.errors import JobDefinitionError, OptionError, UnsupportedOnSpark
from planner.job import JobDefinition
from planner.pipeline import plan
from spark_runner.clusters.request import RunRequest, parse_trigger
from spark_runner.lowering.lower import lower
from spark_runner.streaming.checkpoint import Checkpoint
from spark_runner.streaming.needs import check_connectors
from spark_runner.streaming.opening import check_stream


def key_of(record: Any) -> Any:
    """The first field."""
    return record[0]


def job(
    *,
    uid: str | None = "sums",
    parallelism: int = 2,
    sources: int = 1,
    kind: str = "sum",
    size: int = 10,
    more: bool = False,
    stateless: bool = False,
    hop: bool = False,
) -> JobDefinition:
    """A job with one keyed operator, changed in one way or another."""
    env = StreamExecutionEnvironment()
    env.set_parallelism(parallelism)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda record: record[1])
    streams = [env.from_collection([("a", 1)]) for _ in range(sources)]
    stream = streams[0].union(*streams[1:]).assign_timestamps_and_watermarks(strategy)
    if stateless:
        stream = stream.map(lambda record: record)
    if hop:
        stream = stream.rebalance().map(lambda record: record)
    keyed = stream.key_by(key_of)
    if kind == "window":
        made = keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(size))).reduce(lambda a, b: a)
    else:
        made = getattr(keyed, kind)(1)
    made = made if uid is None else made.uid(uid)
    made.print()
    if more:
        made.key_by(key_of).max(1).uid("more").print()
    return env.build("changed")


def checkpoint(folder: Path, first: JobDefinition) -> None:
    """A checkpoint that a job has begun."""
    made = Checkpoint(folder)
    made.check(lower(plan(first), "streaming").chunks)
    made.begin(lower(plan(first), "streaming").chunks)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({}, {"uid": "other"}, "holds state of operator 'sums' (Keyed Aggregation), which this job does not have"),
        ({}, {"more": True}, "operator 'more' (Keyed Aggregation) keeps state, and has none in this checkpoint"),
        ({}, {"parallelism": 3}, "operator 'sums' had 2 subtasks, now 3: its state cannot be moved"),
        ({}, {"kind": "window"}, "operator 'sums' was sum of field 1, is a tumbling window of 10 ms"),
        ({"kind": "window"}, {"kind": "window", "size": 20}, "of 10 ms"),
        ({}, {"sources": 2}, "the sources were source-1"),
        ({}, {"hop": True}, "operator 'sums' was after 1 exchanges, is after 2"),
    ],
)
def test_a_job_that_would_lose_state_is_refused(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], words: str
) -> None:
    checkpoint(tmp_path, job(**before))
    with pytest.raises(OptionError) as caught:
        Checkpoint(tmp_path).check(lower(plan(job(**after)), "streaming").chunks)
    assert words in caught.value.message and str(tmp_path) in caught.value.message
    assert "new --checkpoint" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("before", "after"), [({}, {"stateless": True}), ({"uid": None}, {"uid": None, "stateless": True})]
)
def test_stateless_changes_are_fine(tmp_path: Path, before: dict[str, Any], after: dict[str, Any]) -> None:
    checkpoint(tmp_path, job(**before))
    Checkpoint(tmp_path).check(lower(plan(job(**after)), "streaming").chunks)


def test_state_can_be_given_up_by_name(tmp_path: Path) -> None:
    checkpoint(tmp_path, job())
    kept = Checkpoint(tmp_path, lost=frozenset({"sums"}))
    kept.check(lower(plan(job(kind="max")), "streaming").chunks)
    assert list(kept.generations.values()) == [1]
    kept.begin(lower(plan(job(kind="max")), "streaming").chunks)
    again = Checkpoint(tmp_path, lost=frozenset({"sums"}))
    again.check(lower(plan(job(kind="max")), "streaming").chunks)
    assert again.generations == kept.generations  # what fits is not given up twice
    Checkpoint(tmp_path, lost=frozenset({"sums", "other"})).check(lower(plan(job(uid="other")), "streaming").chunks)
    with pytest.raises(OptionError, match="--allow-lost-state nobody: the checkpoint has no state"):
        Checkpoint(tmp_path, lost=frozenset({"nobody"})).check(lower(plan(job()), "streaming").chunks)


def test_an_operator_without_a_uid_is_named_before_the_start() -> None:
    assert lower(plan(job(uid=None)), "streaming").chunks.notes == (
        "operator 'sum-1' has no uid: its state is found by its place in the job",
    )
    assert lower(plan(job()), "streaming").chunks.notes == ()


def test_what_a_stream_cannot_do_is_refused_before_a_session_starts(tmp_path: Path) -> None:
    made = lower(plan(job()), "streaming").chunks
    check_stream(made, RunRequest(job="job.py", folder=str(tmp_path), master="sc://127.0.0.1:15002"))
    with pytest.raises(OptionError, match="file system"):
        check_stream(made, RunRequest(job="job.py", folder=str(tmp_path), checkpoint="hdfs://there/state"))
    with pytest.raises(OptionError, match="real-time mode does not run Python operators"):
        parse_trigger("real-time")
    assert parse_trigger("once").once


def test_sql_in_the_middle_is_refused_with_a_next_step() -> None:
    env = StreamExecutionEnvironment()
    env.set_parallelism(1)
    from planner import Types

    pair = Types.ROW_NAMED(["name", "number"], [Types.STRING(), Types.LONG()])
    rows = env.from_collection([("a", 1)], pair).rebalance().filter("number > 0")
    rows.map(lambda row: row, output_type=pair).print()
    with pytest.raises(UnsupportedOnSpark, match="SQL between Python operators") as caught:
        lower(plan(env.build("sql")), "streaming")
    assert "Python function" in str(caught.value.hint)


def test_kafka_without_its_connector_is_refused(tmp_path: Path) -> None:
    from planner import KafkaSource

    env = StreamExecutionEnvironment()
    source = KafkaSource.builder().set_bootstrap_servers("127.0.0.1:1").set_topics("t").build()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").print()
    made = lower(plan(env.build("kafka")), "streaming").chunks
    request = RunRequest(job="job.py", folder=str(tmp_path))
    with pytest.raises(JobDefinitionError, match="needs Spark's Kafka connector") as caught:
        check_connectors(made, request)
    version = importlib.metadata.version("pyspark")
    assert f"--packages org.apache.spark:spark-sql-kafka-0-10_2.13:{version}\n" in str(caught.value.hint)
    assert caught.value.location is not None
    check_connectors(made, RunRequest(job="job.py", folder=str(tmp_path), packages=("a:spark-sql-kafka:1",)))


def test_records_and_keys_of_another_type_are_refused(tmp_path: Path) -> None:
    from planner import Types

    def typed(number: Any, key: Any) -> JobDefinition:
        env = StreamExecutionEnvironment()
        pair = Types.TUPLE([Types.STRING(), number])
        env.from_collection([("a", 1)], pair).key_by(key_of, key_type=key).sum(1).uid("sums").print()
        return env.build("typed")

    checkpoint(tmp_path, typed(Types.LONG(), Types.STRING()))
    Checkpoint(tmp_path).check(lower(plan(typed(Types.LONG(), Types.STRING())), "streaming").chunks)
    with pytest.raises(OptionError, match=r"operator 'sums': its records were f0 .*, now f0 "):
        Checkpoint(tmp_path).check(lower(plan(typed(Types.DOUBLE(), Types.STRING())), "streaming").chunks)


def test_a_state_of_another_kind_or_type_is_refused() -> None:
    from planner import ListStateDescriptor, MapStateDescriptor, Types, ValueStateDescriptor
    from spark_runner.executor.contexts import Runtime
    from spark_runner.executor.store import KeyedStore
    from tests.support.stream_engine import DictBackend

    class Operator:
        script = False

        class task:
            processing_time = lambda: 0  # noqa: E731

        class spec:
            name = "op"

    backend = DictBackend()

    def runtime() -> tuple[Runtime, KeyedStore]:
        store = KeyedStore(backend, "op")
        return Runtime(Operator, store), store  # type: ignore[arg-type]

    first, store = runtime()
    first.get_state(ValueStateDescriptor("n", Types.LONG()))
    first.get_map_state(MapStateDescriptor("m", Types.STRING(), Types.LONG()))
    first.get_state(ValueStateDescriptor("any"))
    store.save()
    again, _ = runtime()
    again.get_state(ValueStateDescriptor("n", Types.LONG()))
    again.get_state(ValueStateDescriptor("any", Types.LONG()))
    with pytest.raises(RuntimeError, match="state 'n' was a value of bigint, is a list of bigint"):
        again.get_list_state(ListStateDescriptor("n", Types.LONG()))
    with pytest.raises(RuntimeError, match="state 'n' was a value of bigint, is a value of string"):
        again.get_state(ValueStateDescriptor("n", Types.STRING()))
    with pytest.raises(RuntimeError, match="state 'm' was a map of string to bigint, is a map of string to string"):
        again.get_map_state(MapStateDescriptor("m", Types.STRING(), Types.STRING()))


@pytest.mark.parametrize("folder", [".", "spark", "told"])
@pytest.mark.parametrize("harm", ["everybody", "another group", "another user"])
def test_a_checkpoint_that_others_may_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, harm: str
) -> None:
    checkpoint = tmp_path / "kept"
    (checkpoint / folder).mkdir(parents=True)
    (checkpoint / folder).chmod({"everybody": 0o707, "another group": 0o770}.get(harm, 0o700))
    if harm == "another group":
        monkeypatch.setattr(os, "getegid", lambda: (checkpoint / folder).stat().st_gid + 1)
    if harm == "another user":
        if os.geteuid():
            pytest.skip("only root may give a folder away")
        os.chown(checkpoint / folder, 12345, -1)
    said = "belongs to another user" if harm == "another user" else "can be written by other users"
    with pytest.raises(OptionError, match=said) as refusal:
        Checkpoint(checkpoint)
    assert ("chown -R" if harm == "another user" else "chmod go-w") in str(refusal.value.hint)
    (checkpoint / folder).chmod(0o700)
    os.chown(checkpoint / folder, os.geteuid(), -1)
    Checkpoint(checkpoint)


def test_a_new_checkpoint_is_for_its_owner_only(tmp_path: Path) -> None:
    made = Checkpoint(tmp_path / "new")
    made.claim("run")
    made.release()
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
