"""The identifier of print does not name the sink.

## What it does

Reports `print(identifier)` on a stream without a `name()` after it.

## Why it matters

The identifier is put in front of every printed line. In plans, metrics and the web interface the sink is still called
`Print to Std. Out`, like every other one.

## Example

```python
counts.print("counts")                  # PL125: the sink is called Print to Std. Out
counts.print("counts").name("counts")   # what should be there
```

## How to fix it

Give the sink a name of its own: add `.name(...)` after `print(...)`.
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
        said = next((remark for remark in operator.remarks if remark.startswith("print-identifier:")), None)
        if said is None or operator.name != "Print to Std. Out":
            continue
        identifier = said.partition(":")[2]
        yield rule.finding(
            f"print({identifier!r}) does not name the sink: plans and metrics call it Print to Std. Out",
            at=operator.location,
            subject=operator.key,
            operator=operator,
            fix=f"add .name({identifier!r})",
        )


RULE = build_rule("PL125", "print-identifier-names-nothing", __doc__, _find)
