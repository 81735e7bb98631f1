"""The file systems Spark writes to, through the driver's Hadoop client: results are moved into place, or back."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Files", "Moves", "part_name"]


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


def part_name(name: str, prefix: str, suffix: str) -> str | None:
    """What a file that Spark named `part-00000-ID-c000.txt` is called with a prefix and a suffix; None for others."""
    found = re.fullmatch(r"part-(\d+)-([0-9a-f-]{36})(?:-c(\d+))?\..*", name.rpartition("/")[2])
    if found is None:
        return None
    number = int(found[1]) + int(found[3] or 0) * 100_000
    return f"{prefix}-{found[2]}-{number}{suffix}"


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

    def delete_empty(self, path: str) -> None:
        """Remove a folder that nothing is in."""
        files, place = self._at(path)
        if not files.listStatus(place):
            files.delete(place, False)

    def replace(self, source: str, target: str) -> None:
        """Move a folder to a place, instead of what is there."""
        files, place = self._at(target)
        files.delete(place, True)
        files.mkdirs(place.getParent())
        if not files.rename(self._path(source), place):
            raise OSError(f"the file system refused to move {source} to {target}")

    def rename_parts(self, folder: str, prefix: str, suffix: str) -> None:
        """Give Spark's files in a folder names with another beginning and end."""
        files, place = self._at(folder)
        for leaf, name in list(self._leaves(files, place, "")):
            renamed = part_name(name, prefix, suffix)
            if renamed is not None and not files.rename(leaf, self._path(leaf.getParent(), renamed)):
                raise OSError(f"the file system refused to rename {leaf}")

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
