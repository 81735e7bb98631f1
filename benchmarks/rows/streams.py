"""Streams on Spark: the same job as a plan and hand-written with Structured Streaming, in turns in one session."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.figure import Cost, Figure, compare
from benchmarks.measure import in_turns, timed
from benchmarks.spark_session import planned, session

_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_FILES = 3  # one batch each


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """A chain without state, the same as a batch job, and running sums by key; then what a tiny batch takes."""
    records, keys, rounds = (6_000, 1_000, 1) if quick else (480_000, 10_000, 3)
    settings = {"spark.sql.streaming.stateStore.providerClass": _ROCKSDB}
    with session(**settings) as spark, tempfile.TemporaryDirectory(prefix="plan-bench-") as made:
        folder = Path(made)
        _write(folder / "in", records * _FILES, keys)
        _write(folder / "tiny", 10 * _FILES, 10)

        def of(run: Callable[[Any, Path, Path], float], source: str = "in") -> Callable[[], Cost]:
            return _emptied(run, spark, folder / source, folder / "out")

        chain = {"plan": of(_planned_chain), "mapInArrow by hand": of(_chain_by_hand), "plan, batch": of(_in_batch)}
        costs = in_turns(chain, rounds=rounds, warm_up=2, most=60)
        what = f"chain without state, {records:,} records per batch"
        yield compare(what, costs, "plan", "mapInArrow by hand", target=1.2)
        yield compare(what, costs, "plan", "plan, batch", other="`plan run` in batch mode")
        sums = {"plan": of(_planned_sums), "transformWithState by key": of(_sums_by_hand)}
        costs = in_turns(sums, rounds=rounds, warm_up=1, most=60)
        what = f"running sums of {keys:,} keys, {records:,} records per batch"
        yield compare(what, costs, "plan", "transformWithState by key", target=0.25)
        tiny = {"plan": of(_planned_chain, "tiny"), "by hand": of(_chain_by_hand, "tiny")}
        costs = in_turns(tiny, rounds=rounds, warm_up=1, most=30)
        what = "a batch of 10 records, chain without state"
        yield compare(what, costs, "plan", "by hand", other="mapInArrow by hand")


def _write(folder: Path, records: int, keys: int) -> None:
    folder.mkdir()
    for number in range(_FILES):
        lines = (f"k{at * 7919 % keys},{at % 10}\n" for at in range(number, records, _FILES))
        (folder / f"{number}.txt").write_text("".join(lines))


def _emptied(run: Callable[[Any, Path, Path], float], spark: Any, source: Path, out: Path) -> Callable[[], Cost]:
    def running() -> Cost:
        shutil.rmtree(out, ignore_errors=True)
        return Cost(seconds=run(spark, source, out))

    return running


def _taken_apart(line: str) -> tuple[str, int]:
    key, number = line.split(",")
    return key, int(number)


def _best_batch(query: Any) -> float:
    """The seconds of the quickest batch with records: starting a query costs the same on both sides."""
    progress = [one for one in query.recentProgress if any(source.numInputRows for source in one.sources)]
    return min(float(one.durationMs["triggerExecution"]) for one in progress) / 1000


def _job(source: Path, out: Path, *, keyed: bool, bounded: bool) -> Any:
    from planner import ReaderSource, StreamExecutionEnvironment, Types, WatermarkStrategy, WriterSink

    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    pair = Types.TUPLE([Types.STRING(), Types.LONG()])
    options = {} if bounded else {"maxFilesPerTrigger": 1}
    reader = ReaderSource("text", str(source), options, bounded=bounded)
    line = Types.ROW_NAMED(["value"], [Types.STRING()])
    lines = env.from_source(reader, WatermarkStrategy.no_watermarks(), "lines", line)
    stream = lines.map(_taken_apart, output_type=pair).filter(lambda one: one[1] != 11)
    stream = stream.map(lambda one: (one[0], one[1] + 1), output_type=pair)
    if keyed:
        stream = stream.key_by(lambda one: one[0], key_type=Types.STRING()).sum(1)
    stream.sink_to(WriterSink("parquet", str(out / "data")))
    return env.build("bench")


def _planned(spark: Any, source: Path, out: Path, *, keyed: bool) -> float:
    from planner.pipeline import plan
    from spark_runner.lowering.lower import lower
    from spark_runner.streaming.checkpoint import Checkpoint
    from spark_runner.streaming.execute import StreamOptions, StreamRun

    program = lower(plan(_job(source, out, keyed=keyed, bounded=False)), "streaming")
    run = StreamRun(program, spark, Checkpoint(out / "checkpoint"), StreamOptions(), events=lambda event: None)
    run.run()
    return _best_batch(run.query)


def _in_batch(spark: Any, source: Path, out: Path) -> float:
    """The seconds of one file's share: the batch job reads all of them at once."""
    run = timed(planned(spark, _job(source, out, keyed=False, bounded=True)))
    return run().seconds / _FILES


def _planned_chain(spark: Any, source: Path, out: Path) -> float:
    return _planned(spark, source, out, keyed=False)


def _planned_sums(spark: Any, source: Path, out: Path) -> float:
    return _planned(spark, source, out, keyed=True)


def _pairs_by_hand(spark: Any, source: Path) -> Any:
    def pairs(batches: Any) -> Any:
        import pyarrow as pa

        for batch in batches:
            found = [line.split(",") for line in batch.column(0).to_pylist()]
            kept = [(key, int(number) + 1) for key, number in found if int(number) != 11]
            yield pa.RecordBatch.from_pydict({"f0": [one[0] for one in kept], "f1": [one[1] for one in kept]})

    lines = spark.readStream.format("text").schema("value string").option("maxFilesPerTrigger", 1).load(str(source))
    return lines.mapInArrow(pairs, "f0 string, f1 bigint")


def _to_its_end(frame: Any, out: Path) -> float:
    writing = frame.writeStream.format("parquet").option("path", str(out / "data"))
    query = writing.option("checkpointLocation", str(out / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    return _best_batch(query)


def _chain_by_hand(spark: Any, source: Path, out: Path) -> float:
    return _to_its_end(_pairs_by_hand(spark, source), out)


def _sums_by_hand(spark: Any, source: Path, out: Path) -> float:
    from pyspark.sql import Row
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

    class Sums(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.sum = handle.getValueState("sum", "sum bigint")

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:
            total = self.sum.get()[0] if self.sum.exists() else 0
            for row in rows:
                total += row["f1"]
                yield Row(f0=key[0], f1=total)
            self.sum.update((total,))

        def close(self) -> None:
            pass

    keyed = _pairs_by_hand(spark, source).groupBy("f0")
    return _to_its_end(keyed.transformWithState(Sums(), "f0 string, f1 bigint", "Append", "None"), out)
