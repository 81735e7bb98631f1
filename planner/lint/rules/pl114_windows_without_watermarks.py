"""Records reach an event-time window without timestamps and watermarks.

## What it does

Follows every event-time window upstream, and reports it where a way from a source to it passes no watermarks: neither
`assign_timestamps_and_watermarks(...)`, nor a watermark strategy of the source, nor (YAML) the `time` of the source or
of the window itself.

## Why it matters

Event-time windows need the time of each record, and a watermark that says when a window is complete. Without timestamps
Flink fails at the first record; without watermarks no window ever closes. One input of a union without watermarks is
enough: the watermark behind it is the smallest of all inputs.

## Example

```python
orders.key_by(by_user).window(TumblingEventTimeWindows.of(Time.minutes(5))).reduce(add)     # PL114

timed = orders.assign_timestamps_and_watermarks(
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(20)).with_timestamp_assigner(Stamps()))
timed.key_by(by_user).window(TumblingEventTimeWindows.of(Time.minutes(5))).reduce(add)      # fine
```

## How to fix it

Assign timestamps and watermarks at the source, or directly behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.graphs.stream_graph import StreamNode
from planner.job import Window
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    for node in subject.nodes:
        window = node.operator.behaviour
        if node.operator.kind != "window_reduce" or (isinstance(window, Window) and window.time is not None):
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


def _fix(source: StreamNode) -> str:
    key = source.operator.key
    if source.operator.location.file.endswith(".py"):
        return f"call assign_timestamps_and_watermarks() behind {key}, or give {key} a watermark strategy"
    return f"give {key} a `time` (its event-time column) and a `watermark` (how late records may be)"


def _unstamped_source(subject: Subject, node: StreamNode) -> StreamNode | None:
    """A source that is read on a way without watermarks."""
    graph = subject.plan.stream_graph
    seen = {node.id}
    waiting = [node.id]
    for number in waiting:  # grows while it is walked
        current = graph.by_id[number]
        if current.operator.kind == "watermarks" or current.operator.watermarks is not None:
            continue
        if current.operator.kind == "source":
            return current
        for at in graph.in_edges[number]:
            source = graph.edges[at].source
            if source not in seen:
                seen.add(source)
                waiting.append(source)
    return None


RULE = build_rule("PL114", "windows-without-watermarks", __doc__, _find)
