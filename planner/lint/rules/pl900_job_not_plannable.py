"""The job could not be loaded or planned.

## What it does

Reports, as a finding of its file, what would have stopped any other command: a mistake in the job's file, or a job
that Flink would refuse. The other files are still linted. This rule cannot be ignored or deselected.

## Why it matters

A job that does not compile cannot be deployed, and none of its other findings can be known.

## Example

```yaml
- {id: counts, type: summ, input: words, key_by: word}   # PL900: unknown type
```

## How to fix it

Do what the message says; `plan explain` on the file shows the same message.
"""

from __future__ import annotations

from planner.lint.rule import build_rule

RULE = build_rule("PL900", "job-not-plannable", __doc__, None, "error")
