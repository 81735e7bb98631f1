"""The keys of the YAML format, written once: the loader checks with them and `plan schema` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from planner.flink.defaults import MAX_INT, MAX_MAX_PARALLELISM
from planner.kinds import OperatorKind
from planner.records import record
from planner.settings.restart import RESTART_TYPES
from planner.settings.values import (
    ANY_LIST,
    CHOICE,
    COLUMNS,
    DURATION,
    EXPRESSION,
    FIELD,
    FLAG,
    FUNCTION,
    IGNORES,
    INPUT,
    INPUTS,
    LABEL,
    NUMBER,
    OPTIONS,
    RAW_OPTIONS,
    SELECT,
    TEXT,
    UID_HASH,
    WHOLE,
    WINDOW,
    WINDOW_SHAPES,
    ValueType,
)

__all__ = [
    "JOB_KEYS",
    "KINDS",
    "KIND_KEYS",
    "OPERATOR_KEYS",
    "PARTITIONS",
    "REFERENCE_KEYS",
    "RESTART_KEYS",
    "Key",
]


@record(kw_only=False)
class Key:
    """One key: what its value may be, one line on what it means, and the field of the job or operator that takes it.

    A key without a field is read together with others, by the front end.
    """

    type: ValueType
    doc: str
    field: str | None = None


PARALLELISM: Final = WHOLE(1, MAX_INT)
MAX_PARALLELISM: Final = Key(
    WHOLE(1, MAX_MAX_PARALLELISM), "key groups, the upper bound of rescaling", "max_parallelism"
)
BUFFER_TIMEOUT: Final = Key(
    WHOLE(-1, 2**63 - 1),
    "milliseconds until a part-filled network buffer is sent; -1 waits for full ones",
    "buffer_timeout",
)
PARTITIONS: Final = ("forward", "rebalance", "rescale", "shuffle", "broadcast", "global", "custom")

JOB_KEYS: Final[Mapping[str, Key]] = {
    "$schema": Key(TEXT, "where an editor finds this schema"),
    "name": Key(LABEL, "the job's name", "name"),
    "parallelism": Key(PARALLELISM, "subtasks of an operator that says nothing itself; 1 unless set", "parallelism"),
    "max_parallelism": MAX_PARALLELISM,
    "runtime_mode": Key(CHOICE("streaming", "batch", "automatic"), "streaming unless set", "runtime_mode"),
    "chaining": Key(FLAG, "false puts every operator into a task of its own", "chaining"),
    "chain_different_max_parallelism": Key(
        FLAG,
        "whether operators of different max parallelism may chain; true unless set",
        "chain_different_max_parallelism",
    ),
    "buffer_timeout": BUFFER_TIMEOUT,
    "restart_strategy": Key(RAW_OPTIONS, "when a failed job starts again"),
    "options": Key(RAW_OPTIONS, "further Flink options by their own keys"),
    "operators": Key(ANY_LIST, "the operators; inputs refer to them by id"),
}

RESTART_KEYS: Final[Mapping[str, Key]] = {
    "type": Key(CHOICE(*RESTART_TYPES), "which strategy"),
    "attempts": Key(
        WHOLE(0, MAX_INT), "restarts (failure-rate: failures in an interval) before the job fails for good"
    ),
    "delay": Key(DURATION, "the wait before a restart (exponential-delay: before the first)"),
    "max_delay": Key(DURATION, "the longest wait (exponential-delay)"),
    "multiplier": Key(NUMBER(1), "how much longer each wait is than the one before (exponential-delay)"),
    "failure_interval": Key(DURATION, "the interval in which failures are counted (failure-rate)"),
}

REFERENCE_KEYS: Final[Mapping[str, Key]] = {
    "from": Key(INPUT, "the input itself: an id, a list (a union) or another of these"),
    "side_output": Key(TEXT, "only the records that the operator tagged so"),
    "partition": Key(CHOICE(*PARTITIONS), "how records reach the consumer's subtasks"),
    "exchange": Key(CHOICE("pipelined", "batch"), "how the partition's result is handed over; needs `partition`"),
    "function": Key(FUNCTION, "the partitioner (key, count) -> index of a custom partition"),
    "key": Key(COLUMNS, "the column or columns that a custom partition's function gets"),
}

OPERATOR_KEYS: Final[Mapping[str, Key]] = {
    "id": Key(TEXT, "the name by which other operators refer to this one; unique"),
    "type": Key(TEXT, "what kind of operator it is"),
    "name": Key(LABEL, "the name that plans show", "name"),
    "uid": Key(LABEL, "a fixed identity for the operator's state", "uid"),
    "uid_hash": Key(UID_HASH, "an operator id of an older job to take over, 32 hexadecimal digits", "uid_hash"),
    "description": Key(LABEL, "a longer text for people", "description"),
    "parallelism": Key(PARALLELISM, "how many subtasks", "parallelism"),
    "max_parallelism": MAX_PARALLELISM,
    "slot_sharing_group": Key(LABEL, "operators of one group may share a slot", "slot_sharing_group"),
    "co_location_group": Key(LABEL, "equal subtasks of one group run in the same slot", "co_location_group"),
    "buffer_timeout": BUFFER_TIMEOUT,
    "chaining": Key(CHOICE("start_new", "disable"), "start a chain here, or never chain", "chaining"),
    "ignore": Key(IGNORES, "lint codes not to report here, each with the reason", "ignores"),
}

_INPUT: Final = {
    "input": Key(INPUT, "what it reads"),
    "key_by": Key(COLUMNS, "the key: a hash partition before it"),
}
_INPUTS: Final = {
    "inputs": Key(INPUTS, "what it reads, first and second"),
    "key_by": Key(COLUMNS, "the key of both inputs, or a list of one for each side"),
}
_FUNCTION: Final = {"function": Key(FUNCTION, "package.module:name, or ./file.py:name beside the job's file")}
_RESULT: Final = {
    **_FUNCTION,
    "output": Key(TEXT, "the result's columns as Spark DDL, such as `word string, n bigint`", "output"),
}
_TIME: Final = {
    "time": Key(TEXT, "the event-time column"),
    "watermark": Key(DURATION, "how late records may be"),
}
_STORAGE: Final = {
    "format": Key(TEXT, "any Spark reader or writer"),
    "path": Key(TEXT, "where the data is, relative to the job's file"),
    "options": Key(OPTIONS, "options of the reader or writer"),
}
_AGGREGATE: Final = {**_INPUT, "field": Key(FIELD, "the column to aggregate")}
_SELECT: Final = {"select": Key(SELECT, "Spark SQL: the result's columns, each with its expression")}

KIND_KEYS: Final[Mapping[OperatorKind, Mapping[str, Key]]] = {
    "source": {
        "legacy": Key(FLAG, "a SourceFunction instead of a new-style source", "legacy"),
        "parallel": Key(FLAG, "false: a legacy source that always has one subtask", "parallel"),
        "bounded": Key(FLAG, "whether the data ends"),
        "collection": Key(ANY_LIST, "the records themselves"),
        "schema": Key(TEXT, "the columns as Spark DDL", "output"),
        **_STORAGE,
        **_TIME,
    },
    "map": {**_INPUT, **_RESULT, **_SELECT},
    "flat_map": {
        **_INPUT,
        **_RESULT,
        "explode": Key(EXPRESSION, "Spark SQL: an array whose elements become records"),
        "as": Key(TEXT, "the column of the exploded elements"),
    },
    "filter": {**_INPUT, **_FUNCTION, "where": Key(EXPRESSION, "Spark SQL: the condition")},
    "process": {**_INPUT, **_RESULT},
    "async_map": {
        **_INPUT,
        **_RESULT,
        "capacity": Key(
            WHOLE(1, MAX_INT), "how many records may wait for their answers at once; 100 unless set", "capacity"
        ),
        "timeout": Key(DURATION, "how long an answer may take; any time unless set", "timeout"),
    },
    "watermarks": {**_INPUT, **_FUNCTION, **_TIME},
    "sum": _AGGREGATE,
    "min": _AGGREGATE,
    "max": _AGGREGATE,
    "reduce": {**_INPUT, **_RESULT},
    "window_reduce": {
        **_INPUT,
        **_RESULT,
        "window": Key(WINDOW, f"{WINDOW_SHAPES}; the first two also take `offset`"),
        **_TIME,
    },
    "co_map": {**_INPUTS, **_RESULT},
    "co_flat_map": {**_INPUTS, **_RESULT},
    "co_process": {
        **_INPUTS,
        **_RESULT,
        "join": Key(CHOICE("inner", "left", "right", "full"), "an equi-join on the key"),
        **_SELECT,
    },
    "multi_input": {
        "inputs": Key(INPUTS, "what it reads, in order"),
        "chain_sources": Key(FLAG, "take new-style sources into its chain (HEAD_WITH_SOURCES)", "chain_sources"),
        **_RESULT,
    },
    "sink": {
        **_INPUT,
        **_FUNCTION,
        "api": Key(CHOICE("v1", "v2"), "v2 is sinkTo, v1 (unless set) is addSink", "api"),
        "committer": Key(FLAG, "a v2 sink that commits", "committer"),
        **_STORAGE,
        "mode": Key(CHOICE("error", "overwrite", "append"), "what to do where data exists; error unless set"),
    },
    "print": _INPUT,
}
KINDS: Final[tuple[OperatorKind, ...]] = tuple(KIND_KEYS)
