"""execute_and_collect drops the other sinks of the job.

## What it does

Reports the sinks and operators that are not part of the job that `execute_and_collect` executes.

## Why it matters

PyFlink compiles what the collected stream reads, and forgets everything else that was defined since the last job. The
other sinks write nothing, without a message.

## Example

```python
stream.sink_to(files)
stream.map(clean).execute_and_collect()   # PL123: nothing is written to the files
```

## How to fix it

Call `env.execute()` for the sinks before the stream is collected, or collect in a script of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.kinds import SINKS
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    merging = subject.plan.merging
    if merging is None:
        return
    for operator in merging.dropped:
        if operator.kind not in SINKS:
            continue
        yield rule.finding(
            f"{label(operator.name or operator.kind, operator.key)} is not part of the job: execute_and_collect() "
            f"at {merging.written.location} drops it",
            at=operator.location,
            subject=operator.key,
            operator=operator,
            fix="call env.execute() for it before the stream is collected",
        )


RULE = build_rule("PL123", "sinks-dropped-by-collect", __doc__, _find)
