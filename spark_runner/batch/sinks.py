"""Sinks: written aside first and put in their place together at the end, so that a failed run leaves nothing a rerun
would take for data."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from planner.errors import ExecutionError
from planner.job import Operator, Writer
from spark_runner.batch.hadoop_files import Files, Moves
from spark_runner.clusters.connect import is_connect
from spark_runner.figures.results import Events, WritingAside
from spark_runner.frames.blame import blamed

__all__ = ["Destination", "Writers"]


class Destination(Protocol):
    """A sink whose operator's behaviour is a writer."""

    @property
    def operator(self) -> Operator: ...

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A written result that is not in its place yet."""

    sink: Destination
    aside: str
    target: str
    mode: str


class Writers:
    """All file results of a run. Formats without a path (tables, topics, databases) are written by Spark directly."""

    def __init__(self, spark: SparkSession, resolve_path: Callable[[str], str], events: Events) -> None:
        self._resolve, self._events = resolve_path, events
        self._staged: list[Staged] = []
        self._aside: list[str] = []
        self._claims: dict[str, Destination] = {}  # by target
        # Connect has no file system on this side: Spark's own committer and its _SUCCESS file must do there
        self._files = None if is_connect(spark) else Files(spark)

    def check(self, sink: Destination) -> None:
        """Refuse before the run what would be refused at its end."""
        writer, target = _writer(sink), self.target(sink)
        other = None if target is None else self._claims.setdefault(target.rstrip("/"), sink)
        if other is not None and other is not sink and not _writer(other).mode == writer.mode == "append":
            raise ExecutionError(
                f"operators {other.operator.key!r} and {sink.operator.key!r} both write to {target}",
                operator=sink.operator.key,
                location=sink.operator.location,
                hint="give each a path of its own, or `mode: append` to both",
            )
        if self._files is None and _named(writer):
            raise ExecutionError(
                f"operator {sink.operator.key!r} ({sink.name}): over Spark Connect files cannot be renamed",
                operator=sink.operator.key,
                location=sink.operator.location,
                hint="leave with_output_file_config() out, or use another master",
            )
        if target is not None and writer.mode == "error" and self._files is not None and self._files.exists(target):
            raise ExecutionError(
                f"operator {sink.operator.key!r} ({sink.name}): {target} exists already",
                operator=sink.operator.key,
                location=sink.operator.location,
                hint="set `mode: overwrite` or `mode: append`, or move it away",
            )

    def target(self, sink: Destination) -> str | None:
        """Where a sink's data will be."""
        path = _writer(sink).path
        return None if path is None else self._resolve(path)

    def write(self, sink: Destination, frame: DataFrame) -> None:
        """Write a result, aside where that is possible."""
        writer, target = _writer(sink), self.target(sink)
        out = frame.write.format(writer.format).options(**dict(writer.options))
        partition = dict(writer.options).get("partitionBy")
        if partition:
            out = out.partitionBy(*(name.strip() for name in partition.split(",")))
        if target is None or self._files is None:
            mode = "overwrite" if writer.format.lower() == "noop" else writer.mode
            out.mode(mode).save(target) if target is not None else out.mode(mode).save()
            return
        aside = self._files.sibling(target)
        self._aside.append(aside)
        self._events(WritingAside(path=aside))
        out.mode("error").save(aside)
        if writer.names is not None and _named(writer):
            self._files.rename_parts(aside, writer.names.prefix, writer.names.suffix)
        self._staged.append(Staged(sink=sink, aside=aside, target=target, mode=writer.mode))

    def publish(self) -> None:
        """Put every result in its place, or none of them."""
        assert self._files is not None or not self._staged
        moves = Moves()
        try:
            for staged in self._staged:
                with blamed(staged.sink.operator, staged.sink.name, f"could not be moved to {staged.target}"):
                    self._files.publish(staged.aside, staged.target, staged.mode, moves)  # type: ignore[union-attr]
        except BaseException:
            moves.undo()
            raise
        moves.settle()

    def discard(self) -> None:
        """Remove whatever lies aside."""
        for aside in self._aside:
            with suppress(Exception):  # what cannot be removed has a name no reader takes for data
                self._files.delete(aside)  # type: ignore[union-attr]


def _writer(sink: Destination) -> Writer:
    assert isinstance(sink.operator.behaviour, Writer)
    return sink.operator.behaviour


def _named(writer: Writer) -> bool:
    """Whether files have names that are not Spark's."""
    return writer.names is not None and (writer.names.prefix, writer.names.suffix) != ("part", "")
