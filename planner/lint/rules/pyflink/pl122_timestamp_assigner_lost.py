"""A timestamp assigner is lost before it is used.

## What it does

Reports strategies that had a timestamp assigner and lost it: `with_idleness` and `with_watermark_alignment` return a
new strategy without it, and `from_source` hands on the strategy without it.

## Why it matters

Records keep the time their source gave them, or have none. Event-time windows then close at the wrong time, or never.

## Example

```python
WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(a).with_idleness(d)   # PL122: without a
WatermarkStrategy.for_monotonous_timestamps().with_idleness(d).with_timestamp_assigner(a)   # with a
```

## How to fix it

Call `with_timestamp_assigner` last. For a source, give the strategy to `assign_timestamps_and_watermarks` on its
stream.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    merging = subject.plan.merging
    if merging is None:
        return
    for operator in merging.written.operators:
        lost = next((remark for remark in operator.remarks if remark.startswith("lost-assigner:")), None)
        if lost is None:
            continue
        call = lost.partition(":")[2]
        fix = (
            "call assign_timestamps_and_watermarks() after the source"
            if call == "from_source"
            else (f"call with_timestamp_assigner() after {call}()")
        )
        yield rule.finding(
            f"the timestamp assigner is lost: {call}() "
            + ("hands on the strategy without it" if call == "from_source" else "returns a strategy without it"),
            at=operator.location,
            subject=operator.key,
            operator=operator,
            fix=fix,
        )


RULE = build_rule("PL122", "timestamp-assigner-lost", __doc__, _find)
