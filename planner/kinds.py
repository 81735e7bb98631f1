"""The kinds of operators, and what is true of every operator of a kind.

Each property has its one home here. To add a kind, name it in `OperatorKind` and go through these sets.
"""

from __future__ import annotations

from typing import Final, Literal

__all__ = [
    "AGGREGATES",
    "KEEPS_COLUMNS",
    "KEEPS_KEY",
    "NEEDS_KEY",
    "NEVER_KEYED",
    "SINKS",
    "STATELESS",
    "TWO_INPUTS",
    "OperatorKind",
]

OperatorKind = Literal[
    "source", "map", "flat_map", "filter", "process", "async_map", "watermarks",
    "sum", "min", "max", "reduce", "window_reduce",
    "co_map", "co_flat_map", "co_process", "multi_input", "sink", "print",
]  # fmt: skip

_Kinds = frozenset[OperatorKind]

# Nothing reads their output.
SINKS: Final[_Kinds] = frozenset({"sink", "print"})
# Keyed aggregates of one field.
AGGREGATES: Final[_Kinds] = frozenset({"sum", "min", "max"})
# They exist on keyed streams only.
NEEDS_KEY: Final[_Kinds] = AGGREGATES | {"reduce", "window_reduce"}
# They have exactly two inputs.
TWO_INPUTS: Final[_Kinds] = frozenset({"co_map", "co_flat_map", "co_process"})
# Flink gives them no key, whatever stream they read.
NEVER_KEYED: Final[_Kinds] = frozenset({"watermarks", "multi_input"})
# Their result has the columns of their input.
KEEPS_COLUMNS: Final[_Kinds] = AGGREGATES | {"filter", "watermarks", "reduce"}
# Records leave them in the same subtask, with the key that they came with.
KEEPS_KEY: Final[_Kinds] = KEEPS_COLUMNS | {"window_reduce"}
# They keep no state unless their function asks for keyed state.
STATELESS: Final[_Kinds] = frozenset({"map", "flat_map", "filter", "co_map", "co_flat_map", "watermarks", "print"})
