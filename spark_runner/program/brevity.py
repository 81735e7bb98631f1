"""Programs for which starting the JVM, and compiling what it runs, is most of its work.

They get a JVM that starts soon and optimizes little: one quick compiler, and a collector without threads of its own.
What is known before the start decides: whether the input ends, how many records the job itself has, how large its files
are, and whether Python or the JVM computes with them. Python takes far longer over a record than the JVM that hands it
over, so a JVM that only hands records over is worth optimizing for very large inputs alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planner.job import Collection, Explode, Join, Reader, Select, Sequence
from spark_runner.program.program import Operation, SparkProgram

__all__ = ["is_brief"]

_BYTES = 100  # of a record, about
_FEW = 10_000 * _BYTES  # where the JVM computes
_MANY = 10_000_000 * _BYTES  # where it hands records over to Python
# what makes much out of little in SQL
_GROWS = re.compile(r"\b(sequence|array_repeat|repeat|space|[lr]pad|range)\s*\(", re.IGNORECASE)


def is_brief(program: SparkProgram, *, endless: bool = False) -> bool:
    """Whether a program has so little for the JVM to do that a quick start counts for more than quick work."""
    sources = list(_sources(program))
    if endless or not sources:
        return False
    operations = [operation for one in program.passes for operation in one.operations]
    if any(map(_grows, operations)):
        return False
    sizes = [_size(behaviour, paths, Path(program.file).parent) for behaviour, paths in sources]
    limit = _MANY if program.chunks is not None else _FEW
    return None not in sizes and sum(size for size in sizes if size is not None) <= limit


def _sources(program: SparkProgram) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """What every source reads, and the files of it that are known by their paths."""
    for one in program.passes:
        for operation in one.operations:
            if operation.operator.kind == "source":
                yield operation.operator.behaviour, _paths(operation.operator.behaviour)
    for source in program.chunks.sources if program.chunks is not None else ():
        yield source.operator.behaviour, source.paths or _paths(source.operator.behaviour)


def _paths(behaviour: Any) -> tuple[str, ...]:
    if not isinstance(behaviour, Reader) or behaviour.path is None:
        return ()
    return tuple(path.strip() for path in behaviour.path.split(","))


def _size(behaviour: Any, paths: tuple[str, ...], folder: Path) -> int | None:
    """How much a source has to give, in bytes; None where that is not known."""
    if isinstance(behaviour, Collection):
        return len(behaviour.records) * _BYTES
    if isinstance(behaviour, Sequence):
        return max(0, behaviour.end - behaviour.start + 1) * _BYTES
    if not paths:
        return None
    found = [_on_disk(path, folder) for path in paths]
    return None if None in found else sum(size for size in found if size is not None)


def _on_disk(path: str, folder: Path) -> int | None:
    """The bytes of a file, or of all files in a folder, on this machine."""
    if "://" in path.removeprefix("file://") or set(path) & set("*?{["):
        return None
    place = folder / path.removeprefix("file://").removeprefix("file:")
    try:
        if place.is_dir():
            return sum(one.stat().st_size for one in place.rglob("*") if one.is_file())
        return place.stat().st_size
    except OSError:
        return None


def _grows(operation: Operation) -> bool:
    behaviour = operation.operator.behaviour
    if isinstance(behaviour, Join):
        return True
    texts = [sql for _, sql in behaviour.columns] if isinstance(behaviour, Select) else []
    texts += [behaviour.expression] if isinstance(behaviour, Explode) else []
    return any(map(_GROWS.search, texts))
