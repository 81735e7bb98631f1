"""The configured task managers have fewer network buffers than the job needs, or than it wants.

## What it does

Places the job's slots on the task managers of `[tool.plan.cluster]` as Flink does and counts the network buffers on the
fullest of them, twice. The fewest with which the job starts: for every pipelined result partition its subpartitions and
one more (a blocking one takes 512), for every input gate 1 and 2 for each channel that comes from another task manager.
And what Flink wants to run well: 2 for each channel and subpartition, and 8 more for each gate and partition. Both are
compared with `network_memory / buffer_size`; without `network_memory` nothing is checked.

Too few to start is an error, fewer than wanted a warning. Where Flink leaves the placement to chance, one possible
placement is counted.

## Why it matters

The job would be accepted and then fail at start-up with "Insufficient number of network buffers". With fewer buffers
than it wants it runs, but waits for buffers under load.

## Example

```toml
[tool.plan.cluster]
task_managers = 2
slots = 32
network_memory = "64mb"   # 2048 buffers of 32 KiB
```

A key_by between 64 and 64 subtasks takes 32 x 65 + 32 x (1 + 2 x 32) = 4160 buffers on each of the two to start: PL105.

## How to fix it

Set `taskmanager.memory.network.min` and `taskmanager.memory.network.max` to the value that the message names, lower the
parallelism of the edge that it names, or add task managers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from planner.flink.network_buffers import NETWORK_MEMORY_OPTIONS
from planner.lint.finding import Finding, Severity
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label

if TYPE_CHECKING:
    from planner.deployment.costs import Costs


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    costs = _costs(subject)
    if costs is None or costs.available is None or costs.fullest is None or costs.dearest is None:
        return
    if costs.overloaded:
        yield _finding(rule, subject, costs, costs.fullest.buffers.fewest, "does not start with fewer than", "error")
    elif costs.hungriest > costs.available:
        yield _finding(rule, subject, costs, costs.hungriest, "wants", "warning")


def _costs(subject: Subject) -> Costs | None:
    """What the job takes on the configured cluster: one task manager, where nothing says how many there are."""
    plan, settings = subject.plan, subject.config.cluster
    if plan.job_graph is None or plan.execution_graph is None or settings.network_buffers is None:
        return None
    from planner.deployment.cluster import resolve_cluster  # only a described cluster needs all of this
    from planner.deployment.costs import count_costs
    from planner.deployment.layout import lay_out
    from planner.deployment.placement import place_slots
    from planner.graphs.physical import build_physical

    physical = plan.physical or build_physical(plan.stream_graph, plan.job_graph, plan.execution_graph)
    layout = lay_out(replace(plan, physical=physical))
    assert layout is not None
    required = len(physical.slots)
    managers = settings.task_managers or (None if settings.slots else 1)
    slots = settings.slots or -(-required // (managers or 1))
    cluster = resolve_cluster(settings, task_managers=managers, slots=slots, required=required)
    assert cluster is not None
    placement = place_slots(layout, cluster)
    return None if placement is None else count_costs(layout, cluster, placement)  # too few slots is PL106


def _finding(rule: LintRule, subject: Subject, costs: Costs, buffers: int, verb: str, severity: Severity) -> Finding:
    dearest, job = costs.dearest, subject.plan.job_graph
    assert dearest is not None and job is not None and costs.available is not None
    edge = subject.edges[job.edges[dearest.edge].stream_edge]
    source, target = subject.node(edge.source), subject.node(edge.target)
    size, chance = costs.buffer_size, "" if costs.certain else ", in one possible placement,"
    return rule.finding(
        f"the fullest task manager{chance} {verb} {buffers} network buffers, and it has {costs.available} "
        f"({costs.available * size // 1024} KiB in buffers of {size // 1024} KiB); most of them are for "
        f"{node_label(source)} -> {node_label(target)}",
        at=target.operator.location,
        subject="network buffers",
        operator=target.operator,
        fix=f"set {' and '.join(NETWORK_MEMORY_OPTIONS)} to {-(-buffers * size // 1024)}kb or more, or lower the "
        "parallelism of that edge",
        severity=severity,
    )


RULE = build_rule("PL105", "too-few-network-buffers", __doc__, _find, "error", reads="edges")
