"""Files that are removed while a stream runs, read ones and written ones: it says so, and nothing is lost unseen."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from planner import ReaderSource, StreamExecutionEnvironment, Types, WatermarkStrategy, WriterSink
from planner.errors import ExecutionError
from planner.job import JobDefinition
from tests.spark_runner.streaming.conftest import Running


def job(folder: Path, removed: Path, **options: str) -> JobDefinition:
    """Reads one file in each batch, and writes what it read; while it reads the second one it removes something."""

    def upper(line: str) -> str:
        if line == "1a" and not (folder / "removed").exists():
            (folder / "removed").touch()
            shutil.rmtree(removed) if removed.is_dir() else removed.unlink()
        return line.upper()

    (folder / "in put").mkdir()  # Spark writes a blank in a path in its own way
    for number in range(4):
        file = folder / "in put" / f"{number}.txt"
        file.write_text(f"{number}a\n{number}b\n")
        os.utime(file, (number + 1, number + 1))  # Spark reads the oldest first
    env = StreamExecutionEnvironment()
    reader = ReaderSource("text", str(folder / "in put"), {"maxFilesPerTrigger": "1", **options})
    lines = env.from_source(reader, WatermarkStrategy.no_watermarks(), "lines", Types.STRING())
    lines.map(upper, Types.STRING()).sink_to(WriterSink("text", str(folder / "out")))
    return env.build("files")


def written(folder: Path) -> list[str]:
    return sorted(line for file in (folder / "out").glob("batch=*/part-*") for line in file.read_text().splitlines())


def test_a_source_file_that_is_gone_is_named_and_read_when_it_is_back(stream: Running, tmp_path: Path) -> None:
    gone = tmp_path / "in put" / "2.txt"
    made = job(tmp_path, gone)
    with pytest.raises(ExecutionError, match=r"in put/2\.txt was removed before it was read") as failed:
        stream(made)
    assert failed.value.operator == made.operators[0].key
    assert failed.value.hint
    assert written(tmp_path) == ["0A", "0B", "1A", "1B"]
    gone.write_text("2a\n2b\n")
    stream(made)
    assert written(tmp_path) == ["0A", "0B", "1A", "1B", "2A", "2B", "3A", "3B"]


def test_a_source_may_say_that_files_may_be_missing(stream: Running, tmp_path: Path) -> None:
    made = job(tmp_path, tmp_path / "in put" / "2.txt", ignoreMissingFiles="true")
    stream(made)
    assert written(tmp_path) == ["0A", "0B", "1A", "1B", "3A", "3B"]


def test_a_sinks_folder_that_is_gone_is_named(stream: Running, tmp_path: Path) -> None:
    made = job(tmp_path, tmp_path / "out")
    with pytest.raises(ExecutionError, match="out, which was removed while the stream ran") as failed:
        stream(made)
    assert failed.value.operator == made.operators[-1].key
