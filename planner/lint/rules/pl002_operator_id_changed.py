"""An operator that may keep state has another id than in the baseline: a restored job would not find its state.

## What it does

Compares the operator ids of the baseline and of the job, for every operator that keeps or may keep state, and says
where the change came from: the operator's own `uid`, a chain that broke or formed (also far upstream), operators
added or removed before it, or only Flink's numbering.

## Why it matters

Flink saves state under operator ids. Without a `uid` the id is generated from the shape of the graph: how many
operators were numbered before, how many of an operator's outputs are chained, and the ids of its inputs. So a
parallelism that breaks a chain upstream gives a new id to an operator that nobody touched. Restoring then fails
with "there is no operator for the state", or, with `--allowNonRestoredState`, the state is silently gone.

## Example

```python
orders.map(parse).key_by(by_user).sum(1)                       # the id of the sum hangs on everything before it
orders.map(parse).set_parallelism(4).key_by(by_user).sum(1)    # PL002: orders -> map broke, the sum's id changed
orders.map(parse).key_by(by_user).sum(1).uid("totals")         # a uid would have kept it
```

## How to fix it

Undo the change that the message names, or keep the state with the recipe of the finding: set a `uid_hash` with the old
id, and a `uid` where there is none, in the same change; deploy it from a savepoint; take a new savepoint; then remove
the `uid_hash`. If the state may be dropped, accept the new id with `plan lint --update-baseline`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from planner.graphs.state import describe_state
from planner.graphs.state_lookup import keep_state
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label

if TYPE_CHECKING:
    from planner.diff.comparison import OperatorPair
    from planner.diff.id_causes import IdCause


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    comparison = subject.comparison
    if comparison is None or not comparison.orphaned:
        return
    from planner.diff.id_causes import find_id_causes  # only a baseline needs it

    causes = find_id_causes(comparison)
    for pair in comparison.orphaned:
        yield _finding(rule, subject, pair, causes)


def _finding(rule: LintRule, subject: Subject, pair: OperatorPair, causes: Mapping[int, IdCause]) -> Finding:
    assert subject.comparison is not None
    node = subject.nodes[pair.new_at]
    from planner.diff.id_words import cause_in_words

    cause = cause_in_words(subject.comparison, pair, causes.get(pair.new_at))
    kept = "" if pair.old.uid is not None or pair.new.uid is not None else " A uid would have kept its id."
    return rule.finding(
        f"the operator id of {node_label(node)} changed from {pair.old.id} to {pair.new.id}: "
        f"a restored job would lose its {describe_state(pair.old.state)}. {cause}{kept}",
        at=node.operator.location,
        subject=pair.old.key,
        operator=node.operator,
        fix=keep_state(node.operator, pair.old.id),
    )


RULE = build_rule("PL002", "operator-id-changed", __doc__, _find, "error")
