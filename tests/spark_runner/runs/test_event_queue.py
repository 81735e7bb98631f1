"""The queue between the thread that works and the one that tells."""

from __future__ import annotations

import threading

from spark_runner.figures.results import PrintedRecord, WritingAside
from spark_runner.runs.event_queue import EventQueue

RECORDS = [PrintedRecord(operator="print-1", subtask=None, text=str(n)) for n in range(100)]


def test_whoever_prints_too_fast_waits_and_nothing_is_lost() -> None:
    queue, found = EventQueue(most=10), []
    printing = threading.Thread(target=lambda: [queue.put(record) for record in RECORDS], daemon=True)
    printing.start()
    while printing.is_alive() or len(found) < len(RECORDS):
        some = queue.take()
        assert len(some) <= 10
        found += some
    assert found == RECORDS


def test_a_closed_queue_holds_nobody_and_takes_no_records() -> None:
    queue = EventQueue(most=1)
    queue.put(RECORDS[0])
    printing = threading.Thread(target=queue.put, args=[RECORDS[1]], daemon=True)
    printing.start()
    queue.close(silent=True)
    printing.join(60)
    assert not printing.is_alive()
    queue.put(WritingAside(path="x"))
    assert list(queue.take()) == [RECORDS[0], WritingAside(path="x")]


def test_events_that_were_not_told_come_first_again() -> None:
    queue = EventQueue()
    queue.put(RECORDS[0])
    queue.put(RECORDS[1])
    taken = queue.take()
    taken.popleft()
    queue.put(RECORDS[2])
    queue.give_back(taken)
    assert list(queue.take()) == [RECORDS[1], RECORDS[2]]
