"""Columns that travel beside a record's own: its key, its event time, where it goes. No user sees them."""

from __future__ import annotations

KEY = "__key"  # what the stream is keyed by, where that is no column of the record
STAMP = "__ts"  # the event time, in milliseconds
TARGET = "__to"  # the subtask a record is sent to
SIDE = "__side"  # 0 or 1: the input it came from, where an operator has two
ROW = "__row"  # which record of its stream it is, where not all of its columns came along
OUT = "__out"  # the outlet it leaves by, where a pass has several
METRIC = "__metric"  # a subtask's report as JSON, alone in a last row
HIDDEN = frozenset({KEY, STAMP, TARGET, SIDE, ROW, OUT, METRIC})
