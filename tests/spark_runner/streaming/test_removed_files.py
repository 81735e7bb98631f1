"""Files that are removed while a stream runs, read ones and written ones: it says so, and nothing is lost unseen."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from planner import ReaderSource, StreamExecutionEnvironment, Types, WatermarkStrategy, WriterSink
from planner.errors import ExecutionError
from planner.job import JobDefinition
from tests.spark_runner.streaming.conftest import Running, StreamOutcome


def job(folder: Path, **options: str) -> JobDefinition:
    """Reads one file in each batch, and writes what it read."""
    (folder / "in put").mkdir()  # Spark writes a blank in a path in its own way
    for number in range(4):
        (folder / "in put" / f"{number}.txt").write_text(f"{number}a\n{number}b\n")
    env = StreamExecutionEnvironment()
    reader = ReaderSource("text", str(folder / "in put"), {"maxFilesPerTrigger": "1", **options})
    lines = env.from_source(reader, WatermarkStrategy.no_watermarks(), "lines", Types.STRING())
    upper = lines.map(str.upper, Types.STRING())
    upper.sink_to(WriterSink("text", str(folder / "out")))
    return env.build("files")


def written(folder: Path) -> list[str]:
    return sorted(line for file in (folder / "out").glob("batch=*/part-*") for line in file.read_text().splitlines())


def removing(path: Path) -> Any:
    """Removes something behind the first batch."""

    def remove(outcome: StreamOutcome) -> bool:
        if len(outcome.batches) == 1:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return False

    return remove


def test_a_source_file_that_is_gone_is_named_and_read_when_it_is_back(stream: Running, tmp_path: Path) -> None:
    made, gone = job(tmp_path), tmp_path / "in put" / "2.txt"
    with pytest.raises(ExecutionError, match=r"in put/2\.txt was removed before it was read") as failed:
        stream(made, until=removing(gone))
    assert failed.value.operator == made.operators[0].key
    assert failed.value.hint
    assert written(tmp_path) == ["0A", "0B", "1A", "1B"]
    gone.write_text("2a\n2b\n")
    stream(made)
    assert written(tmp_path) == ["0A", "0B", "1A", "1B", "2A", "2B", "3A", "3B"]


def test_a_source_may_say_that_files_may_be_missing(stream: Running, tmp_path: Path) -> None:
    made = job(tmp_path, ignoreMissingFiles="true")
    stream(made, until=removing(tmp_path / "in put" / "2.txt"))
    assert written(tmp_path) == ["0A", "0B", "1A", "1B", "3A", "3B"]


def test_a_sinks_folder_that_is_gone_is_named(stream: Running, tmp_path: Path) -> None:
    made = job(tmp_path)
    with pytest.raises(ExecutionError, match="out, which was removed while the stream ran") as failed:
        stream(made, until=removing(tmp_path / "out"))
    assert failed.value.operator == made.operators[-1].key
