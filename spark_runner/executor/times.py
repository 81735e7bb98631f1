"""Event time: where a subtask's inputs stand together. Runs on workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spark_runner.executor.positions import NO_SPLIT
from spark_runner.executor.state import NO_TIMESTAMP

__all__ = ["Channels"]

Sender = int | tuple[int, int]  # a producer; one of its splits
_LEAST = -1  # no producer's number


class Channels:
    """The watermark of every producer a subtask reads from; the subtask stands where the slowest does.

    A producer whose splits stand on their own stands where the slowest of them does, and never goes back. Whoever has
    an idle timeout and sent nothing for so long holds nobody back, until it sends again.
    """

    def __init__(
        self,
        expected: Mapping[int, int | None],
        known: Mapping[Sender, int],
        heard: Mapping[Sender, int],
        now: int,
        splits: Mapping[int, Iterable[int]] | None = None,
    ) -> None:
        """`expected`: the producers with their idle timeouts. `splits`: of which ones splits count, with those known.

        `known` and `heard` are what was saved.
        """
        self.marks: dict[Sender, int] = {producer: known.get(producer, NO_TIMESTAMP) for producer in expected}
        self.splits = {
            producer: {split: known.get((producer, split), NO_TIMESTAMP) for split in found}
            for producer, found in (splits or {}).items()
        }
        for sender, mark in known.items():  # splits that only their records told of
            if isinstance(sender, tuple) and sender[0] in self.splits:
                self.splits[sender[0]][sender[1]] = mark
        self._timeouts = {producer: limit for producer, limit in expected.items() if limit is not None}
        self._now = now
        self.heard = dict(heard)  # when each that has a timeout sent something last
        self._idle: set[Sender] = set()
        self.least = known.get(_LEAST, NO_TIMESTAMP)

    def hear(self, producers: set[int], splits: set[tuple[int, int]]) -> int | None:
        """Take note of who sent something in this batch. Where the subtask stands, if that changed."""
        for producer, split in splits:
            if split != NO_SPLIT and producer in self.splits:
                self.splits[producer].setdefault(split, NO_TIMESTAMP)
        sent, now = producers | splits, self._now
        timed = [one for one in self._senders() if _producer(one) in self._timeouts]
        self.heard = {one: now if one in sent else self.heard.get(one, now) for one in timed}
        self._idle = {one for one, at in self.heard.items() if now - at >= self._timeouts[_producer(one)]}
        for producer, marks in self.splits.items():
            if marks:
                idle = all((producer, split) in self._idle for split in marks)
                (self._idle.add if idle else self._idle.discard)(producer)
                self.marks[producer] = max(self.marks[producer], self._slowest(producer))
        return self._risen()

    def rise(self, producer: int, mark: int, split: int = NO_SPLIT) -> int | None:
        """Take the watermark of a producer, or of one split of it. The subtask's own where it rose, else None."""
        before = self.marks.get(producer)
        if before is None:
            return None
        if split != NO_SPLIT and (marks := self.splits.get(producer)) is not None:
            was = marks[split]
            if mark <= was:
                return None
            marks[split] = mark
            if was > before:
                return None  # it was not the slowest
            mark = self._slowest(producer)
        if mark <= before:
            return None
        self.marks[producer] = mark
        return self._risen() if before <= self.least else None

    def saved(self) -> dict[Sender, int]:
        """What the next batch starts from."""
        found = {**self.marks, _LEAST: self.least}
        for producer, marks in self.splits.items():
            found |= {(producer, split): mark for split, mark in marks.items()}
        return found

    def _senders(self) -> Iterator[Sender]:
        yield from self.marks
        for producer, marks in self.splits.items():
            yield from ((producer, split) for split in marks)

    def _slowest(self, producer: int) -> int:
        """Where the slowest split of a producer stands."""
        marks, idle = self.splits[producer], self._idle
        if not idle:
            return min(marks.values())
        awake = (mark for split, mark in marks.items() if (producer, split) not in idle)
        return min(awake, default=NO_TIMESTAMP)

    def _risen(self) -> int | None:
        least = min((mark for one, mark in self.marks.items() if one not in self._idle), default=NO_TIMESTAMP)
        if least <= self.least:
            return None
        self.least = least
        return least


def _producer(sender: Sender) -> int:
    return sender[0] if isinstance(sender, tuple) else sender
