"""Calls of the DataStream API that only some versions of Flink have."""

from __future__ import annotations

from planner.flink.availability import Span

__all__ = ["CALLS"]

CALLS = {
    "from_data": Span(since="1.19", instead="from_collection"),
    "iterate": Span(until="1.20"),
    "full_window_partition": Span(since="1.20"),
    "enable_async_state": Span(since="2.0"),
}
