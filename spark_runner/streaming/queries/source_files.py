"""The files that a batch reads: Spark leaves out, without a word, what is gone when the batch begins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

from planner.errors import ExecutionError
from planner.job import Reader
from spark_runner.program.chunks import ChunkSource
from spark_runner.streaming.queries.shapes import Shapes
from spark_runner.streaming.queries.sources import FILE_FORMATS

__all__ = ["SourceFiles"]

_IGNORE = "ignoremissingfiles"


class _Files(Protocol):
    def exists(self, path: str) -> bool: ...


class SourceFiles:
    """What Spark's checkpoint says of each batch, compared with what is there."""

    def __init__(self, shapes: Shapes, files: _Files, checkpoint: str) -> None:
        self._shapes, self._files, self._checkpoint = shapes, files, Path(checkpoint)
        self._sources = [one for one in shapes.job.sources if _reads_files(one)]

    def check(self, batch: int) -> None:
        """Refuse a batch of which a file is gone. Spark has listed the files before it calls for the batch."""
        if not self._sources:
            return
        for path in self._planned(batch):
            source = self._source_of(path)
            if source is None or _may_miss(source) or self._files.exists(path):
                continue
            raise ExecutionError(
                f"operator {source.operator.key!r} ({source.operation.name}): {path} was removed before it was read",
                operator=source.operator.key,
                location=source.operator.location,
                hint="put it back and run again on this checkpoint, or set the source's option "
                "`ignoreMissingFiles: true` to go on without it",
            )

    def _source_of(self, path: str) -> ChunkSource | None:
        for source in self._sources:
            reader = source.operator.behaviour
            assert isinstance(reader, Reader) and reader.path is not None
            for one in reader.path.split(","):
                start = self._shapes.path(one.strip()).partition("*")[0].removeprefix("file:").lstrip("/")
                if start in path:
                    return source
        return None

    def _planned(self, batch: int) -> Iterator[str]:
        """The files of a batch: each source's log names them, from the end of the batch before up to this one."""
        before = _offsets(self._checkpoint / "offsets" / str(batch - 1)) if batch else {}
        for number, last in _offsets(self._checkpoint / "offsets" / str(batch)).items():
            log = self._checkpoint / "sources" / str(number)
            for entry in range(before.get(number, -1) + 1, last + 1):
                yield from _paths(log, entry)


def _reads_files(source: ChunkSource) -> bool:
    reader = source.operator.behaviour
    return isinstance(reader, Reader) and reader.path is not None and reader.format.lower() in FILE_FORMATS


def _may_miss(source: ChunkSource) -> bool:
    options = dict(getattr(source.operator.behaviour, "options", ()))
    return any(key.lower() == _IGNORE and str(value).lower() == "true" for key, value in options.items())


def _offsets(file: Path) -> dict[int, int]:
    """The position in its own log of each source of files, by the source's number."""
    found = {}
    for number, line in enumerate(_lines(file)[2:]):  # after the version and Spark's settings
        position = _read(line).get("logOffset")
        if position is not None:
            found[number] = int(position)
    return found


def _paths(log: Path, entry: int) -> Iterator[str]:
    """The files of one entry, which may stand in a file that sums up all before it."""
    lines = _lines(log / str(entry)) or _lines(log / f"{entry}.compact")
    for line in lines[1:]:
        told = _read(line)
        if told.get("batchId", entry) == entry and "path" in told:
            yield unquote(str(told["path"]))


def _read(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
