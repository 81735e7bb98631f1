"""Records reach an event-time window without timestamps and watermarks.

## What it does

Follows every event-time window upstream, and reports it where a way from a source to it passes no watermarks: neither
`assign_timestamps_and_watermarks(...)`, nor a watermark strategy of the source, nor (YAML) the `time` of the source or
of the window itself. A bounded source that is connected to one with watermarks is not reported: when it ends, it no
longer holds the watermark back.

## Why it matters

Event-time windows need the time of each record, and a watermark that says when a window is complete. Without timestamps
Flink fails at the first record; without watermarks no window ever closes. One input of a union without watermarks is
enough: the watermark downstream is the smallest of all inputs.

## Example

```python
orders.key_by(by_user).window(TumblingEventTimeWindows.of(Time.minutes(5))).reduce(add)     # PL114

timed = orders.assign_timestamps_and_watermarks(
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(20)).with_timestamp_assigner(Stamps()))
timed.key_by(by_user).window(TumblingEventTimeWindows.of(Time.minutes(5))).reduce(add)      # fine
```

## How to fix it

Assign timestamps and watermarks at the source, or directly after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.graphs.stream_graph import StreamNode
from planner.job import Operator, Window
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    for node in subject.nodes:
        if not _needs_watermarks(node.operator):
            continue
        source = _unstamped_source(subject, node)
        if source is not None:
            yield rule.finding(
                f"{node_label(node)} is an event-time window, and no timestamps and watermarks are assigned between "
                f"{node_label(source)} and it: Flink fails at the first record, or no window ever closes",
                at=node.operator.location,
                subject=subject.keys[node.id],
                operator=node.operator,
                fix=_fix(source),
            )


def _needs_watermarks(operator: Operator) -> bool:
    """Whether it is a window by event time that gets its watermarks from upstream."""
    first = operator.merged[0] if operator.merged else operator
    if first.kind != "window_reduce":
        return False
    if first.run is not None and first.run.window is not None:
        return bool(first.run.window.assigner.is_event_time())
    window = first.behaviour
    if not isinstance(window, Window):
        return True
    return window.time is None and not window.by_clock and window.assigner in ("tumbling", "sliding", "session")


def _gives_watermarks(operator: Operator) -> bool:
    for part in operator.merged or (operator,):
        strategy = part.run.strategy if part.run is not None else None
        if strategy is not None:
            if strategy.kind != "none":
                return True
        elif part.kind == "watermarks" or part.watermarks is not None:
            return True
    return False


def _fix(source: StreamNode) -> str:
    key = source.operator.key
    if source.operator.location.file.endswith(".py"):
        return f"call assign_timestamps_and_watermarks() after {key}, or give {key} a watermark strategy"
    return f"give {key} a `time` (its event-time column) and a `watermark` (how late records may be)"


def _unstamped_source(subject: Subject, node: StreamNode) -> StreamNode | None:
    """A source that is read on a way without watermarks.

    A bounded one that is connected to others ends its watermark by itself. In a union its records need timestamps.
    """
    graph = subject.plan.stream_graph
    unstamped: list[tuple[StreamNode, bool]] = []
    stamped = False
    seen = {node.id}
    waiting = [(node.id, False)]
    for number, connected in waiting:  # grows while it is walked
        current = graph.by_id[number]
        if _gives_watermarks(current.operator):
            stamped = True
        elif current.operator.kind == "source":
            unstamped.append((current, connected))
        else:
            for edge in (graph.edges[at] for at in graph.in_edges[number]):
                if edge.source not in seen:
                    seen.add(edge.source)
                    waiting.append((edge.source, connected or edge.type_number > 0))
    found = (source for source, side in unstamped if not (stamped and side and source.operator.bounded))
    return next(found, None)


RULE = build_rule("PL114", "windows-without-watermarks", __doc__, _find)
