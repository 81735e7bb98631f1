"""A full disk under a stream: what Spark 4.3 logged on file systems of 2 MB, and which folder is then named.

The stacks were recorded with `mount -t tmpfs -o size=2m` as the checkpoint, and as the sink's folder. Most of
their frames are left out.
"""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from planner.errors import ExecutionError
from spark_runner.streaming.full_disk import checkpoint_is_full, read_from, size_of

FOLDER = Path("/small/checkpoint")
STREAMING, WRITING = "org.apache.spark.sql.execution.streaming", "org.apache.spark.sql.execution.datasources"
CHECKPOINTING = f"{STREAMING}.checkpointing"
FULL = "org.apache.hadoop.fs.FSError: java.io.IOException: No space left on device"
FAILED = "org.apache.spark.SparkException: [TASK_WRITE_FAILED]"
CHANGELOG = f"""\
Exception in thread "stateConnectionListenerThread" {FULL}
\tat net.jpountz.lz4.LZ4BlockOutputStream.write(LZ4BlockOutputStream.java:178)
\tat {STREAMING}.state.StateStoreChangelogWriterV2.put(StateStoreChangelog.scala:242)
\tat {STREAMING}.state.RocksDB.put(RocksDB.scala:1349)
Caused by: java.io.IOException: No space left on device
\t... 39 more
26/11/17 21:29:35 ERROR Utils: Aborting task
"""
COMMIT = f"""\
26/11/17 21:39:13 ERROR Utils: Aborting task
{FULL}
\tat {CHECKPOINTING}.CheckpointFileManager$RenameBasedFSDataOutputStream.close(CheckpointFileManager.scala:158)
\tat {STREAMING}.state.StateStoreChangelogWriterV2.commit(StateStoreChangelog.scala:283)
\tat {WRITING}.FileFormatDataWriter.writeWithIterator(FileFormatDataWriter.scala:110)
\tat {WRITING}.FileFormatWriter$.executeTask(FileFormatWriter.scala:439)
Caused by: java.io.IOException: No space left on device
\t... 80 more
"""
OFFSETS = f"""\
{FULL}
\tat {STREAMING}.checkpointing.HDFSMetadataLog.write(HDFSMetadataLog.scala:211)
\tat {STREAMING}.runtime.MicroBatchExecution.markMicroBatchEnd(MicroBatchExecution.scala:1611)
Caused by: java.io.IOException: No space left on device
\t... 36 more
"""
SINK = f"""\
{FAILED} Task failed while writing rows to file:/small/out/.b18. SQLSTATE: 58030
\tat {WRITING}.FileFormatDataWriter.commit(FileFormatDataWriter.scala:123)
\tat {WRITING}.FileFormatWriter$.executeTask(FileFormatWriter.scala:439)
Caused by: {FULL}
\tat {WRITING}.json.JsonOutputWriter.close(JsonOutputWriter.scala:60)
\t... 21 more
Caused by: java.io.IOException: No space left on device
\t... 39 more
"""
OTHER = f"""\
26/11/17 21:29:35 ERROR Executor: Exception in task 1.0 in stage 3.0 (TID 5)
java.lang.IllegalStateException: no longer there
\tat {STREAMING}.state.RocksDB.put(RocksDB.scala:1349)
"""
BLAMED = ExecutionError("operator 'total' (Keyed Aggregation) failed: EOFError", operator="total")


@pytest.mark.parametrize("logged", [CHANGELOG, COMMIT, OFFSETS, f"{SINK}{COMMIT}{OTHER}"])
def test_a_full_checkpoint_is_named_whoever_spark_blames(logged: str) -> None:
    error = checkpoint_is_full(BLAMED, FOLDER, logged)
    assert error is not None and error.operator is None
    assert error.message == "no space is left in the checkpoint's folder /small/checkpoint"
    assert "make room there" in str(error.hint)


@pytest.mark.parametrize("logged", ["", SINK, OTHER, f"{SINK}{OTHER}"])
def test_a_full_sink_and_other_failures_are_not_the_checkpoints(logged: str) -> None:
    assert checkpoint_is_full(BLAMED, FOLDER, logged) is None


def test_files_of_our_own_in_the_checkpoint_need_room_too() -> None:
    error = ExecutionError("OSError: [Errno 28] No space left on device")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert checkpoint_is_full(error, FOLDER, "") is not None
    error.__cause__ = error  # as `raise error from error` leaves it
    assert checkpoint_is_full(error, FOLDER, "") is None


def test_only_what_was_logged_meanwhile_counts(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    assert (size_of(log), read_from(log, 0)) == (0, "")
    log.write_text(CHANGELOG)
    begin = size_of(log)
    with log.open("a") as more:
        more.write(OTHER)
    assert read_from(log, begin) == OTHER
