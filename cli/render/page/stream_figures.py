"""The batches of a streaming run's report, as figures of the run and of every task: the latest one, and the sums."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from cli.render.text.run_report import shown_bytes, shown_seconds
from cli.render.words import count

__all__ = ["Row", "stream_note", "stream_rows", "task_rows"]

Row = tuple[str, str]
Batch = Mapping[str, Any]

END_OF_TIME = 1 << 62  # Flink's last watermark: everything has come


def stream_rows(batches: Sequence[Batch]) -> list[Row]:
    """What the whole run did."""
    if not batches:
        return []
    last = batches[-1]
    rows = [
        ("batches", f"{len(batches)} in the report, the last is no. {last['batch']}"),
        ("last batch", f"{shown_seconds(last['seconds'])}, written at {_clock(last['ended'])}"),
    ]
    return rows + [(f"backlog of {source}", str(words)) for source, words in last.get("backlog", ())]


def task_rows(batches: Sequence[Batch], vertex: int) -> list[Row]:
    """What one task did: in the last batch, and altogether."""
    own = _of(batches, vertex)
    if not own:
        return []
    last, seconds = own[-1]
    rows = [
        ("last batch", f"{_rate(last['records_in'], seconds)} in, {_rate(last['records_out'], seconds)} out"),
        ("late records", str(sum(one["late"] for one, _ in own))),
        ("state", f"{count(last['keys'], 'key')}, {shown_bytes(last['bytes'])}"),
    ]
    watermark = _watermark(last["watermark"])
    return [*rows, ("watermark", watermark)] if watermark else rows


def stream_note(batches: Sequence[Batch], vertex: int) -> str:
    """The same in a few words, for a picture."""
    own = _of(batches, vertex)
    if not own:
        return ""
    last, seconds = own[-1]
    parts = [f"{_rate(last['records_in'], seconds)} in"] if last["records_in"] else []
    late = sum(one["late"] for one, _ in own)
    parts += [f"{late} late"] if late else []
    parts += [count(last["keys"], "key")] if last["keys"] else []
    return ", ".join(parts)


def _of(batches: Sequence[Batch], vertex: int) -> list[tuple[Mapping[str, Any], float]]:
    return [(one, batch["seconds"]) for batch in batches for one in batch["vertices"] if one["vertex"] == vertex]


def _rate(records: int, seconds: float) -> str:
    return f"{records / seconds:.0f} records/s" if seconds else count(records, "record")


def _watermark(milliseconds: int | None) -> str:
    if milliseconds is None:
        return ""
    return "the end of all input" if milliseconds >= END_OF_TIME else _clock(milliseconds / 1000)


def _clock(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError):  # event times may be anything
        return f"{seconds:.3f} s since 1970"
