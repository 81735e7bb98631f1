"""An operator that keeps state has no uid.

## What it does

Reports operators without a `uid` (and without a `uid_hash`) that certainly keep state: aggregates, windows, process
functions and functions with an `open` method on a keyed stream; sources that read from outside, which save how far
they read; `async_map`, which saves records in flight; sinks with a committer. Sources of a fixed collection and
operators whose function may or may not keep state are not reported, nor are batch jobs, which keep no state. Where
PL002 or PL201 speaks of the same state, with the id that it is saved under, this rule is quiet.

## Why it matters

Without a uid the operator's id is generated from the shape of the whole graph before it. The next change there,
even one that only breaks a chain, gives it another id, and a restored job no longer finds the state.

## Example

```python
orders.key_by(by_user).sum(1)                    # PL101
orders.key_by(by_user).sum(1).uid("totals")      # fine
```

## How to fix it

Set a `uid` that is unique in the job and never change it. On a job that already runs, the first uid is itself a
change of id, and alone would lose the state:

1. Set the uid together with a `uid_hash` that is the present id; the finding has both, ready to paste. Do the same for
   operators downstream without a uid: their generated ids change with it.
2. Deploy that from a savepoint, then take a new savepoint.
3. Remove the `uid_hash`: the state is saved under the uid now.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.graphs.state import describe_state
from planner.graphs.state_lookup import proposed_uids, uid_recipe
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    if subject.plan.stream_graph.batch:
        return  # a batch job keeps no state
    told = subject.states_told
    uids = proposed_uids(subject.plan.job)
    first = True
    for node in subject.nodes:
        operator = node.operator
        if operator.uid is not None or operator.uid_hash is not None or node.after_writer:
            continue
        if any(remark.startswith("connector:table ") for remark in operator.remarks):
            continue  # the script cannot reach the source of a table
        state = subject.state(node)
        if state in ("keyed", "operator") and node.id not in told:
            saved = subject.plan.operator_ids[node.id]
            yield rule.finding(
                f"{node_label(node)} keeps {describe_state(state)} and has no uid: after the next change of "
                "the graph that state may not be found",
                at=operator.location,
                subject=subject.keys[node.id],
                operator=operator,
                fix=uid_recipe(operator, saved, uids[operator.id], whole=first),
            )
            first = False


RULE = build_rule("PL101", "stateful-without-uid", __doc__, _find)
