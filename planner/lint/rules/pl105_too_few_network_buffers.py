"""The configured task managers have fewer network buffers than the job's inputs need.

## What it does

Counts the buffers that the input gates on the fullest task manager need: a gate needs `channels x
buffers_per_channel + floating_buffers_per_gate`, 2 and 8 by default, and subtasks are spread evenly over the task
managers. It is compared with `network_memory / buffer_size` from `[tool.plan.cluster]`; without `network_memory`
nothing is checked. The buffers of the sending side come on top, so leave headroom.

## Why it matters

The job would be accepted and then fail at start-up with "Insufficient number of network buffers".

## Example

```toml
[tool.plan.cluster]
task_managers = 2
network_memory = "64mb"   # 2048 buffers of 32 KiB
```

A key_by between 64 and 64 subtasks needs 32 x (64 x 2 + 8) = 4352 buffers on each of the two: PL105.

## How to fix it

Raise `taskmanager.memory.network.max`, lower the parallelism of the edge that the message names, or add task
managers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from planner.graphs.execution_graph import ExecutionGraph
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label
from planner.settings.pyproject import Cluster


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    job, execution, cluster = subject.plan.job_graph, subject.plan.execution_graph, subject.config.cluster
    available = cluster.network_buffers
    if job is None or execution is None or available is None:
        return
    machines = _task_managers(cluster, execution)
    needed = {
        wired.job_edge: _on_one_machine(execution.parallelisms[wired.target], machines)
        * (_widest_gate(wired.consumed) * cluster.buffers_per_channel + cluster.floating_buffers_per_gate)
        for wired in execution.edges
    }
    total = sum(needed.values())
    if total <= available:
        return
    worst = max(needed, key=lambda number: (needed[number], -number))
    edge = subject.edges[job.edges[worst].stream_edge]
    source, target = subject.node(edge.source), subject.node(edge.target)
    yield rule.finding(
        f"the inputs on one of {machines} task managers need {total} network buffers, and it has {available} "
        f"({cluster.network_memory} bytes in buffers of {cluster.buffer_size}); {node_label(source)} -> "
        f"{node_label(target)} alone needs "
        f"{needed[worst]}",
        at=target.operator.location,
        subject="network buffers",
        operator=target.operator,
        fix=f"raise the network memory to at least {total * cluster.buffer_size} bytes, or lower the parallelism "
        "of that edge",
        severity="error",
    )


def _task_managers(cluster: Cluster, execution: ExecutionGraph) -> int:
    """As configured, else as many as the job needs with the configured slots, else one."""
    if cluster.task_managers is not None:
        return cluster.task_managers
    return _on_one_machine(execution.required_slots, cluster.slots) if cluster.slots else 1


def _on_one_machine(subtasks: int, machines: int) -> int:
    return -(-subtasks // machines)


def _widest_gate(consumed: tuple[tuple[int, int, int], ...]) -> int:
    """The most channels that one subtask reads over the edge."""
    channels: dict[int, int] = defaultdict(int)
    for subtask, first, last in consumed:
        channels[subtask] += last - first + 1
    return max(channels.values(), default=0)


RULE = build_rule("PL105", "too-few-network-buffers", __doc__, _find, "error")
