"""The file systems Spark writes to, through the driver's Hadoop client: results are moved into place, or back."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Files", "Moves"]


@dataclass(slots=True)
class Moves:
    """What was moved so far, so that it can be undone; and what the moves replaced, kept until they are sure."""

    done: list[tuple[Any, Any, Any]] = field(default_factory=list)  # file system, from, to
    replaced: list[tuple[Any, Any]] = field(default_factory=list)  # file system, place

    def move(self, files: Any, source: Any, target: Any) -> None:
        """One move; a file system may refuse without an exception."""
        if not files.rename(source, target):
            raise OSError(f"the file system refused to move {source} to {target}")
        self.done.append((files, source, target))

    def undo(self) -> None:
        """Everything back where it was, the last move first."""
        for files, source, target in reversed(self.done):
            files.rename(target, source)
        self.done, self.replaced = [], []

    def settle(self) -> None:
        """Remove what was replaced."""
        for files, place in self.replaced:
            files.delete(place, True)
        self.done, self.replaced = [], []


class Files:
    """Paths of any scheme."""

    def __init__(self, spark: Any) -> None:
        self._jvm: Any = spark._jvm
        self._settings = spark._jsc.hadoopConfiguration()

    def exists(self, path: str) -> bool:
        """Whether something is there."""
        files, place = self._at(path)
        return bool(files.exists(place))

    def delete(self, path: str) -> None:
        """Remove a file, or a folder with all that is in it."""
        files, place = self._at(path)
        files.delete(place, True)

    def replace(self, source: str, target: str) -> None:
        """Move a folder to a place, instead of what is there."""
        files, place = self._at(target)
        files.delete(place, True)
        if not files.rename(self._path(source), place):
            raise OSError(f"the file system refused to move {source} to {target}")

    def write_text(self, path: str, text: str) -> None:
        """A small file: a reader meets it whole, or not at all."""
        files, place = self._at(path)
        aside = self._path(place.getParent(), f".{place.getName()}.new")
        out = files.create(aside, True)
        try:
            out.write(bytearray(text.encode()))
        finally:
            out.close()
        files.delete(place, False)
        if not files.rename(aside, place):
            raise OSError(f"the file system refused to move {aside} to {place}")

    @staticmethod
    def sibling(path: str) -> str:
        """A hidden name beside a path: readers skip names that start with a dot or an underscore."""
        head, _, name = path.rstrip("/").rpartition("/")
        return f"{head}/_{name}.plan-{uuid.uuid4().hex[:12]}" if head else f"_{name}.plan-{uuid.uuid4().hex[:12]}"

    def publish(self, aside: str, target: str, mode: str, moves: Moves) -> None:
        """Put a written folder in its place: beside what is there, instead of it, or only where nothing is."""
        files, source = self._at(aside)
        place = self._path(target)
        there = files.exists(place)
        if there and mode == "append":
            self._move_into(files, source, place, moves)
            return
        if there and mode == "overwrite":
            replaced = self._path(self.sibling(target))
            moves.move(files, place, replaced)
            moves.replaced.append((files, replaced))
        elif there:
            raise FileExistsError(f"{target} was created by someone else while the job ran")
        if place.getParent() is not None:
            files.mkdirs(place.getParent())
        moves.move(files, source, place)

    def _move_into(self, files: Any, source: Any, target: Any, moves: Moves) -> None:
        for leaf, name in self._leaves(files, source, ""):
            place = self._path(target, name)
            files.mkdirs(place.getParent())
            if name != "_SUCCESS" or not files.exists(place):
                moves.move(files, leaf, place)

    def _leaves(self, files: Any, folder: Any, prefix: str) -> Iterator[tuple[Any, str]]:
        for status in files.listStatus(folder):
            name = prefix + status.getPath().getName()
            if status.isDirectory():
                yield from self._leaves(files, status.getPath(), f"{name}/")
            else:
                yield status.getPath(), name

    def _path(self, *parts: Any) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(*parts)

    def _at(self, path: str) -> tuple[Any, Any]:
        place = self._path(path)
        return place.getFileSystem(self._settings), place
