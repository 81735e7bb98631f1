"""The roles of operators when they run, and what the driver must know of each.

`executor/table.py` has the class of every role.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["ROLES", "Role"]

# What is kept between the batches of a stream: nothing, how far event time is, what the function declares as its state,
# or records.
State = Literal["none", "time", "declared", "records"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """What an operator in this role does with its records."""

    keyed: bool = False  # takes records with their keys
    state: State = "none"
    reads_time: bool = False  # its result may depend on the records' event time
    gives_same: bool = False  # gives the records that it takes: they have their type already
    one_expression: bool = False  # a function of one expression may be written into the loop


_KEYED_STATE = Role(keyed=True, state="declared")
_TIMED_STATE = Role(keyed=True, state="declared", reads_time=True)
_WINDOW = Role(keyed=True, state="records", reads_time=True)
_PLAIN = Role()
_TIMED = Role(reads_time=True)

ROLES: Final[Mapping[str, Role]] = {
    "": _PLAIN,  # Spark does it: nothing of ours is at work
    "pass": _PLAIN,
    "collection": Role(gives_same=True),
    "map": Role(one_expression=True),
    "flat_map": Role(one_expression=True),
    "filter": Role(one_expression=True, gives_same=True),
    "process": _TIMED,
    "async_map": _PLAIN,
    "watermarks": Role(state="time", gives_same=True),
    "timestamps": _PLAIN,
    "sink": _PLAIN,
    "key_of": Role(one_expression=True),
    "values": _PLAIN,
    "pair_row": _PLAIN,
    "project": _PLAIN,
    "keyed_map": _KEYED_STATE,
    "keyed_flat_map": _KEYED_STATE,
    "keyed_filter": _KEYED_STATE,
    "keyed_process": _TIMED_STATE,
    "keyed_values": Role(keyed=True),
    "reduce": Role(keyed=True, state="records"),
    "window": _WINDOW,
    "triggered_window": _WINDOW,
    "co_map": _PLAIN,
    "co_flat_map": _PLAIN,
    "co_process": _TIMED,
    "keyed_co_process": _TIMED_STATE,
    "broadcast_process": Role(state="declared", reads_time=True),
    "keyed_broadcast_process": _TIMED_STATE,
    # the ends of a PyFlink script: messages, files, text
    "received": _PLAIN,
    "text_line": _PLAIN,
    "generated": _PLAIN,
    "topic": _PLAIN,
    "message": _PLAIN,
    "row": _PLAIN,
    "columns": _PLAIN,
    "csv_fields": _PLAIN,
    "csv_line": _PLAIN,
    "avro_file": _PLAIN,
    "avro_record": _PLAIN,
    "python_text": _PLAIN,
    "java_text": _PLAIN,
}
