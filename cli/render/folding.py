"""Long runs as one line: subtasks, partitions and slots that follow a pattern."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planner.graphs.execution_graph import Consumed
from planner.graphs.physical import Subtask
from planner.records import record

__all__ = ["Run", "fold_consumed", "fold_groups", "span"]


def span(first: int, last: int) -> str:
    """A range in words: "3" or "0-9"."""
    return str(first) if first == last else f"{first}-{last}"


@record
class Run:
    """Consecutive numbers `first` to `last` that all do the same thing."""

    first: int
    last: int
    text: str

    @property
    def length(self) -> int:
        """How many it stands for."""
        return self.last - self.first + 1


def fold_consumed(consumed: Sequence[Consumed]) -> list[Run]:
    """Consumers and what each reads, those that read the same or one after the other folded."""
    runs: list[Run] = []
    position = 0
    while position < len(consumed):
        end = _run_end(consumed, position)
        runs.append(_run(consumed, position, end))
        position = end + 1
    return runs


def _run_end(consumed: Sequence[Consumed], start: int) -> int:
    """The last position that continues the step between the first two."""
    if start + 1 >= len(consumed):
        return start
    step = _step(consumed[start], consumed[start + 1])
    end = start
    while end + 1 < len(consumed) and _step(consumed[end], consumed[end + 1]) == step:
        end += 1
    width = consumed[start][2] - consumed[start][1] + 1
    return end if step in ((1, 0, 0), (1, width, width)) else start


def _step(before: Consumed, after: Consumed) -> tuple[int, int, int]:
    return (after[0] - before[0], after[1] - before[1], after[2] - before[2])


def _run(consumed: Sequence[Consumed], start: int, end: int) -> Run:
    (first, low, high), (last, low_end, high_end) = consumed[start], consumed[end]
    if start == end or low == low_end:
        text = f"reads {_partitions(low, high)}"
        text = text if start == end else f"each {text}"
    elif low == high and low == first:
        text = "each reads the partition of its own number"
    elif low == high:
        text = f"each reads one of partitions {span(low, high_end)}, in order"
    else:
        text = f"each reads {high - low + 1} of partitions {span(low, high_end)}, in order"
    return Run(first=first, last=last, text=text)


def _partitions(low: int, high: int) -> str:
    return f"partition{'' if low == high else 's'} {span(low, high)}"


def fold_groups(groups: Sequence[tuple[Subtask, ...]], names: Sequence[str]) -> list[Run]:
    """Slots or regions in order; those that hold the next subtasks of the same vertices are folded."""
    ranges = [_by_vertex(group) for group in groups]
    runs: list[Run] = []
    start = 0
    for position in range(1, len(groups) + 1):
        if position == len(groups) or not _continues(ranges[position - 1], ranges[position]):
            text = _group(ranges[start], ranges[position - 1], names)
            runs.append(Run(first=start, last=position - 1, text=text))
            start = position
    return runs


_Ranges = list[tuple[int, list[tuple[int, int]]]]  # of each vertex in a group: its subtasks as ranges


def _by_vertex(group: Iterable[Subtask]) -> _Ranges:
    found: dict[int, list[tuple[int, int]]] = {}
    for vertex, subtask in group:
        ranges = found.setdefault(vertex, [])
        if ranges and ranges[-1][1] + 1 == subtask:
            ranges[-1] = (ranges[-1][0], subtask)
        else:
            ranges.append((subtask, subtask))
    return list(found.items())


def _continues(before: _Ranges, after: _Ranges) -> bool:
    """Whether every vertex goes on with as many subtasks, directly after."""
    return len(before) == len(after) and all(
        vertex == other and len(old) == len(new) == 1 and new[0] == (old[0][1] + 1, 2 * old[0][1] - old[0][0] + 1)
        for (vertex, old), (other, new) in zip(before, after, strict=True)
    )


def _group(first: _Ranges, last: _Ranges, names: Sequence[str]) -> str:
    parts = []
    for (vertex, ranges), (_, ends) in zip(first, last, strict=True):
        if first is last:
            parts.append(f"{names[vertex]}[{','.join(span(low, high) for low, high in ranges)}]")
        else:
            low, high = ranges[0]
            each = f" ({high - low + 1} each)" if high > low else ""
            parts.append(f"{names[vertex]}[{span(low, ends[0][1])}]{each}")
    return ", ".join(parts)
