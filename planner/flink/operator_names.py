"""Flink's default operator names."""

from __future__ import annotations

from planner.job import JobDefinition, Operator, Window
from planner.kinds import SINKS

_NAMES = {
    "map": "Map",
    "flat_map": "Flat Map",
    "filter": "Filter",
    "process": "Process",
    "async_map": "async wait operator",
    "watermarks": "Timestamps/Watermarks",
    "sum": "Keyed Aggregation",
    "min": "Keyed Aggregation",
    "max": "Keyed Aggregation",
    "reduce": "Keyed Reduce",
    "co_map": "Co-Map",
    "co_flat_map": "Co-Flat Map",
    "co_process": "Co-Process",
    "multi_input": "Multiple Input",
    "sink": "Unnamed",
    "print": "Print to Std. Out",
}
_KEYED_NAMES = {"process": "KeyedProcess", "co_process": "Co-Keyed-Process"}
# Of operators that have no name of their own, where nothing else decides it.
_FIXED_NAMES: dict[str, str] = {
    **{kind: name for kind, name in _NAMES.items() if kind not in _KEYED_NAMES},
    "source": "Source: Custom Source",
    **{kind: f"Sink: {_NAMES[kind]}" for kind in SINKS},
}
_WINDOW_NAMES = {
    "tumbling": "TumblingEventTimeWindows",
    "sliding": "SlidingEventTimeWindows",
    "session": "EventTimeSessionWindows",
    "global": "GlobalWindows",
}


def default_name(job: JobDefinition, operator: Operator) -> str:
    """The name of the operator's stream node: the user's, or Flink's, with Flink's prefix for sources and sinks."""
    if operator.name is None:
        fixed = _FIXED_NAMES.get(operator.kind)
        return _decided_name(job, operator) if fixed is None else fixed
    if operator.kind == "source":
        return f"Source: {operator.name}"
    return f"Sink: {operator.name}" if operator.kind in SINKS else operator.name


def _decided_name(job: JobDefinition, operator: Operator) -> str:
    """Flink's name for windows, and for functions that are called otherwise on a keyed stream."""
    if operator.kind == "window_reduce":
        return _window_name(operator.behaviour) if isinstance(operator.behaviour, Window) else _WINDOW_NAMES["tumbling"]
    return _KEYED_NAMES[operator.kind] if job.is_keyed(operator) else _NAMES[operator.kind]


def _window_name(window: Window) -> str:
    if window.assigner == "count":
        return "CountTumblingWindowAssigner" if window.slide is None else "CountSlidingWindowAssigner"
    name = ("Dynamic" if window.gap is not None else "") + _WINDOW_NAMES[window.assigner]
    return name.replace("EventTime", "ProcessingTime") if window.by_clock else name
