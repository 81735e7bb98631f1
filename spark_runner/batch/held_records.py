"""Printed records that must wait until it is certain that they count: in memory while they are few, else on disk."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator

from spark_runner.figures.results import PrintedRecord

__all__ = ["HeldRecords"]

_IN_MEMORY = 4 << 20  # bytes


class HeldRecords:
    """Records in the order they came."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 (closed by `released`)

    def hold(self, record: PrintedRecord) -> None:
        """Keep one more."""
        line = json.dumps([record.operator, record.subtask, record.text])  # escapes whatever would end a line
        self._file.write(line.encode() + b"\n")

    def released(self) -> Iterator[PrintedRecord]:
        """All of them, once."""
        with self._file:
            self._file.seek(0)
            for line in self._file:
                operator, subtask, text = json.loads(line)
                yield PrintedRecord(operator=operator, subtask=subtask, text=text)

    def drop(self) -> None:
        """Forget them."""
        self._file.close()
