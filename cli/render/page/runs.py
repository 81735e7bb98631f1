"""Long lists of numbers that grow evenly, as a few runs: what the page needs of ten thousand subtasks."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Run", "as_runs"]

Run = tuple[int, int, int]  # the first number, how many, and by how much each is more than the one before


def as_runs(numbers: Iterable[int]) -> list[Run]:
    """The numbers in order, as runs of equal steps. `[4, 5, 6, 9]` is `[(4, 3, 1), (9, 1, 0)]`."""
    runs: list[Run] = []
    for number in numbers:
        if runs:
            first, length, step = runs[-1]
            if length == 1:
                runs[-1] = (first, 2, number - first)
                continue
            if first + length * step == number:
                runs[-1] = (first, length + 1, step)
                continue
        runs.append((number, 1, 0))
    return runs
