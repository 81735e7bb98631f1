"""Events on their way from the thread that works to the one that tells. Whoever prints too fast waits."""

from __future__ import annotations

import threading
from collections import deque

from spark_runner.figures.results import Event, PrintedRecord

__all__ = ["EventQueue"]

_MOST = 20_000  # events that may wait


class EventQueue:
    """First in, first out."""

    def __init__(self, most: int = _MOST) -> None:
        self._most, self._closed, self._silent = most, False, False
        self._events: deque[Event] = deque()
        self._changed = threading.Condition()

    def put(self, event: Event) -> None:
        """Add an event; wait while too many have not been told yet. A closed queue may take no records any more."""
        with self._changed:
            while len(self._events) >= self._most and not self._closed:
                self._changed.wait()
            if not (self._silent and isinstance(event, PrintedRecord)):
                self._events.append(event)

    def take(self) -> deque[Event]:
        """All events that wait."""
        with self._changed:
            found, self._events = self._events, deque()
            self._changed.notify_all()
            return found

    def give_back(self, events: deque[Event]) -> None:
        """Put events that were taken and not told in front again."""
        with self._changed:
            self._events = events + self._events

    def close(self, *, silent: bool) -> None:
        """Let nobody wait any more: the run is ending; `silent`: its records are not told."""
        with self._changed:
            self._closed, self._silent = True, silent
            self._changed.notify_all()
