"""Five small Python functions over words, put together by hand: in one mapInArrow, and in one for each function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["fused", "keep", "lower", "pair", "separate", "split", "weigh"]


def split(line: str) -> list[str]:
    """The words of a line."""
    return line.split(",")


def lower(word: str) -> str:
    """A word in small letters."""
    return word.lower()


def keep(word: str) -> bool:
    """Whether a word counts."""
    return not word.startswith("x")


def pair(word: str) -> tuple[str, int]:
    """A word and one."""
    return word, 1


def weigh(counted: tuple[str, int]) -> tuple[str, int]:
    """A word and how long it is."""
    return counted[0], len(counted[0])


def fused(frame: Any) -> Any:
    """All five in one loop."""
    import pyarrow as pa

    # local names: nothing of this module has to be imported by the worker
    one, two, three, four, five = split, lower, keep, pair, weigh

    def run(batches: Any) -> Any:
        for batch in batches:
            words, sizes = [], []
            for line in batch.column(0).to_pylist():
                for word in one(line):
                    small = two(word)
                    if three(small):
                        made = five(four(small))
                        words.append(made[0])
                        sizes.append(made[1])
            arrays = [pa.array(words, pa.string()), pa.array(sizes, pa.int64())]
            yield pa.RecordBatch.from_arrays(arrays, names=["f0", "f1"])

    return frame.mapInArrow(run, "f0 string, f1 bigint")


def separate(frame: Any) -> Any:
    """Each in a loop of its own."""
    one, two, three, four, five = split, lower, keep, pair, weigh
    words = frame.mapInArrow(_values(lambda lines: [w for line in lines for w in one(line)]), "value string")
    small = words.mapInArrow(_values(lambda found: [two(w) for w in found]), "value string")
    kept = small.mapInArrow(_values(lambda found: [w for w in found if three(w)]), "value string")
    paired = kept.mapInArrow(_pairs(1, four), "f0 string, f1 bigint")
    return paired.mapInArrow(_pairs(2, five), "f0 string, f1 bigint")


def _values(function: Callable[[list[str]], list[str]]) -> Callable[[Any], Any]:
    import pyarrow as pa

    def run(batches: Any) -> Any:
        for batch in batches:
            made = function(batch.column(0).to_pylist())
            yield pa.RecordBatch.from_arrays([pa.array(made, pa.string())], names=["value"])

    return run


def _pairs(columns: int, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    import pyarrow as pa

    def run(batches: Any) -> Any:
        for batch in batches:
            values = [batch.column(at).to_pylist() for at in range(columns)]
            records = values[0] if columns == 1 else zip(*values, strict=True)
            made = [function(record) for record in records]
            arrays = [pa.array([m[0] for m in made], pa.string()), pa.array([m[1] for m in made], pa.int64())]
            yield pa.RecordBatch.from_arrays(arrays, names=["f0", "f1"])

    return run
