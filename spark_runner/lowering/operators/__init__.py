"""The lowerings, one per kind of operator. A test checks that no kind of the job format is missing.

Door: `LOWERINGS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from planner.job import OperatorKind
from spark_runner.lowering.operators.keyed import lower_aggregate, lower_reduce, lower_window
from spark_runner.lowering.operators.lowering import Lowered, Lowering, Situation
from spark_runner.lowering.operators.one_input import (
    lower_async_map,
    lower_filter,
    lower_flat_map,
    lower_map,
    lower_process,
    lower_watermarks,
)
from spark_runner.lowering.operators.sinks import lower_print, lower_sink
from spark_runner.lowering.operators.sources import lower_source
from spark_runner.lowering.operators.two_inputs import lower_co, lower_multi_input

__all__ = ["LOWERINGS", "Lowered", "Lowering", "Situation"]

LOWERINGS: Mapping[OperatorKind, Lowering] = {
    "source": lower_source,
    "map": lower_map,
    "flat_map": lower_flat_map,
    "filter": lower_filter,
    "process": lower_process,
    "async_map": lower_async_map,
    "watermarks": lower_watermarks,
    "sum": lower_aggregate,
    "min": lower_aggregate,
    "max": lower_aggregate,
    "reduce": lower_reduce,
    "window_reduce": lower_window,
    "co_map": lower_co,
    "co_flat_map": lower_co,
    "co_process": lower_co,
    "multi_input": lower_multi_input,
    "sink": lower_sink,
    "print": lower_print,
}
