"""Another version of Flink under a job: whether its topology, its operator ids and its state stay, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planner.diff.comparison import Comparison
from planner.flink.profile import FlinkProfile
from planner.graphs.stream_graph import StreamNode
from planner.pipeline import Plan
from planner.records import record
from planner.settings.flink_options import restart_of

__all__ = ["Upgrade", "describe_upgrade"]

_MOST_NAMES = 6


@record
class Upgrade:
    """The three answers, and what else this change of version does to the job."""

    old: str
    new: str
    topology: str
    ids: str
    state: str
    notes: tuple[str, ...]
    unseen: tuple[str, ...] = ()  # what no comparison of plans can tell

    def to_dict(self) -> dict[str, Any]:
        """The answers as JSON-ready data."""
        return {
            "old": self.old,
            "new": self.new,
            "topology": self.topology,
            "operator_ids": self.ids,
            "state": self.state,
            "notes": list(self.notes),
            "not_seen": list(self.unseen),
        }


def describe_upgrade(old: Plan, new: Plan, comparison: Comparison) -> Upgrade:
    """What the step from one version of Flink to another does to a job, which may have changed with it."""
    return Upgrade(
        old=old.flink.version,
        new=new.flink.version,
        topology=_topology(old, new, comparison),
        ids=_ids(comparison),
        state=_state(comparison),
        notes=tuple(_notes(old, new)),
        unseen=tuple(_unseen(old.flink.version, new.flink.version)),
    )


def _unseen(before: str, after: str) -> Iterator[str]:
    """What a plan does not have in it, and a restored job may still fail at."""
    yield "serializers: whether the bytes of a savepoint are read by the new version; try a restore before the step"
    if before.split(".")[0] != after.split(".")[0]:
        yield (
            "state that Kryo wrote (types that Flink does not know, Python objects in Java state): Flink 2 has another "
            "Kryo, and does not read it"
        )
        yield "connectors: each needs a release for the new version; those on SourceFunction and SinkFunction have none"
        yield "calls and options that the new version removed, in code that a plan does not run"


def _topology(old: Plan, new: Plan, comparison: Comparison) -> str:
    tasks = len(new.job_graph.vertices) if new.job_graph else 0
    moved = comparison.lost or comparison.added or comparison.lost_edges or comparison.added_edges
    if moved or _shape(old) != _shape(new):
        return "it changes: " + _change(old, new)
    return f"it stays: the same operators, chains and exchanges in {tasks} task{'' if tasks == 1 else 's'}"


def _change(old: Plan, new: Plan) -> str:
    assert old.job_graph is not None and new.job_graph is not None
    before, after = len(old.job_graph.vertices), len(new.job_graph.vertices)
    if before != after:
        return f"{before} tasks become {after}"
    was = {vertex.name: vertex.parallelism for vertex in old.job_graph.vertices}
    other = [
        vertex for vertex in new.job_graph.vertices if was.get(vertex.name, vertex.parallelism) != vertex.parallelism
    ]
    words = [
        f"{v.name} has parallelism {_count(v.parallelism)}, not {_count(was[v.name])}" for v in other[:_MOST_NAMES]
    ]
    more = len(other) - len(words)
    return "; ".join([*words, *([f"{more} more"] if more else [])]) or "operators or exchanges differ, see above"


def _count(parallelism: int) -> str:
    return "decided at run time" if parallelism < 1 else str(parallelism)


def _shape(plan: Plan) -> object:
    graph = plan.job_graph
    assert graph is not None
    edges = [(edge.source, edge.target, edge.ship_strategy, edge.result_type) for edge in graph.edges]
    return [(vertex.name, vertex.parallelism) for vertex in graph.vertices], edges


def _ids(comparison: Comparison) -> str:
    pairs = comparison.operators
    changed = [pair.new.name for pair in pairs if pair.old.id != pair.new.id]
    if not changed:
        return f"all {len(pairs)} stay" if len(pairs) != 1 else "the only one stays"
    return f"{len(changed)} of {len(pairs)} change: {_listed(changed)}"


def _state(comparison: Comparison) -> str:
    orphaned = comparison.orphaned
    if not orphaned:
        return "every operator finds the state of its savepoint again"
    names = _listed([pair.new.name for pair in orphaned])
    return (
        f"{len(orphaned)} operators would not find theirs: {names}"
        if len(orphaned) > 1
        else (f"{names} would not find its state")
    )


def _notes(old: Plan, new: Plan) -> Iterator[str]:
    before, after = old.flink, new.flink
    yield from _strategies(old, new)
    yield from _open_sinks(old, new)
    if new.stream_graph.batch and before.batch_source_parallelism != after.batch_source_parallelism:
        yield f"sources without a parallelism {_starting(after)}; in {before.version} they {_starting(before)}"
    restart = restart_of(new.job)
    if restart is not None and before.restart_defaults != after.restart_defaults:
        yield from _restarts(restart.type, before, after)


def _strategies(old: Plan, new: Plan) -> Iterator[str]:
    """Operators whose chaining strategy Flink itself changed; the edges say whether that matters."""
    changed: dict[tuple[str, str], list[str]] = {}
    for one, other in _same_nodes(old, new):
        if one.chaining_strategy != other.chaining_strategy and one.operator.chaining == other.operator.chaining:
            changed.setdefault((one.chaining_strategy, other.chaining_strategy), []).append(other.name)
    for (was, becomes), names in changed.items():
        yield f"the chaining strategy is {becomes} instead of {was} for {_listed(names)}; other obstacles decide there"


def _open_sinks(old: Plan, new: Plan) -> Iterator[str]:
    if not new.stream_graph.batch or old.flink.sink_parallelism_is_set == new.flink.sink_parallelism_is_set:
        return
    names = [
        other.name
        for one, other in _same_nodes(old, new)
        if one.parallelism_configured != other.parallelism_configured and other.role != "operator"
    ]
    if names:
        verb = (
            "take the job's parallelism" if new.flink.sink_parallelism_is_set else "get their parallelism at run time"
        )
        yield f"{_listed(names)}: sinks {verb}"


def _same_nodes(old: Plan, new: Plan) -> Iterator[tuple[StreamNode, StreamNode]]:
    for node in new.stream_graph.nodes:
        other = old.stream_graph.by_id.get(node.id)
        if other is not None and other.name == node.name:
            yield other, node


def _starting(flink: FlinkProfile) -> str:
    return (
        "get as many subtasks as their data suggests"
        if flink.batch_source_parallelism is None
        else (f"start with {flink.batch_source_parallelism}")
    )


def _restarts(kind: str, before: FlinkProfile, after: FlinkProfile) -> Iterator[str]:
    one, other = before.restart_defaults, after.restart_defaults
    if kind == "fixed-delay" and one.fixed_delay != other.fixed_delay:
        yield f"a fixed-delay restart without a delay waits {other.fixed_delay} ms, not {one.fixed_delay} ms"
    if kind == "exponential-delay" and one.exponential_multiplier != other.exponential_multiplier:
        yield (
            "an exponential-delay restart without values of its own waits "
            f"{other.exponential_multiplier} times longer each time up to {other.exponential_longest // 1000} s, not "
            f"{one.exponential_multiplier} times up to {one.exponential_longest // 1000} s"
        )


def _listed(names: list[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - _MOST_NAMES
    return ", ".join(distinct[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
