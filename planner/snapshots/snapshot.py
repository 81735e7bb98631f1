"""A plan reduced to what two versions of a job are compared by: operators, edges, slots. No places, no machine."""

from __future__ import annotations

from planner.flink.defaults import default_max_parallelism
from planner.graphs.state import State, state_of
from planner.graphs.stream_graph import StreamGraph, StreamNode
from planner.job import JobDefinition, Operator
from planner.operators import label
from planner.pipeline import Plan
from planner.records import record
from planner.snapshots.declared import Facts, Surroundings, job_facts, operator_facts
from planner.snapshots.function_text import describe_behaviour, describe_key
from planner.topology import longest_ways

__all__ = ["EdgeSnapshot", "OperatorSnapshot", "Snapshot", "take_snapshot"]


@record
class OperatorSnapshot:
    """One stream node: who it is, under which id its state is kept, and what that state depends on."""

    key: str  # the uid, or name and position: unique in the snapshot
    name: str
    kind: str  # the operator's kind, with `.writer` or `.committer` for the nodes of a v2 sink
    id: str  # Flink's operator id, 32 hex digits
    uid: str | None
    user_hash: str | None
    state: State
    parallelism: int
    max_parallelism: int  # of its task; -1: unset
    group: str
    keyed_by: str | None = None
    does: str | None = None
    output: str | None = None  # the declared type of what it gives out
    declared: Facts | None = None  # all that the job says of it; None: not recorded, by an earlier version
    written_id: str | None = None  # the id in YAML: tells operators apart that nothing else does

    @property
    def label(self) -> str:
        """The operator in a message: snapshots know it by its uid, or by its id in YAML."""
        return label(self.name, self.uid if self.uid is not None else self.written_id)

    @property
    def effective_max_parallelism(self) -> int:
        """The number of key groups its state is split into."""
        return self.max_parallelism if self.max_parallelism > 0 else default_max_parallelism(max(self.parallelism, 1))


@record
class EdgeSnapshot:
    """One stream edge; `source` and `target` are positions in `Snapshot.operators`."""

    source: int
    target: int
    input: int
    partitioner: str
    chained: bool
    side_output: str | None = None


@record
class Snapshot:
    """One version of one job."""

    name: str  # numbered where its file executes several of that name
    mode: str  # streaming or batch
    operators: tuple[OperatorSnapshot, ...]
    edges: tuple[EdgeSnapshot, ...]
    slots: tuple[tuple[str, int], ...] | None  # by slot sharing group; None while a parallelism is undecided
    declared: Facts | None = None  # all that is said for the whole job; None: not recorded, by an earlier version
    exported: bool = False  # by Flink: nothing is known of code and settings but what the graph has

    @property
    def keeps_ttl(self) -> bool:
        """Whether state is restored where a time to live was added or removed: seen with 2.3, refused by 1.20."""
        return self.declared is None or not self.declared.get("planned-for", "2.3").startswith(
            ("1.", "2.0", "2.1", "2.2")
        )

    @property
    def total_slots(self) -> int | None:
        """The slots that the job needs."""
        return None if self.slots is None else sum(count for _, count in self.slots)


def take_snapshot(plan: Plan) -> Snapshot:
    """The snapshot of a plan that was compiled up to its execution graph."""
    graph = plan.stream_graph
    position = {node.id: number for number, node in enumerate(graph.nodes)}
    keys = position_keys(graph)
    ceilings = _max_parallelisms(plan)
    surroundings = Surroundings(plan.job)
    return Snapshot(
        name=plan.name,
        mode="batch" if graph.batch else "streaming",
        operators=tuple(_operator(plan, node, keys[node.id], ceilings[node.id], surroundings) for node in graph.nodes),
        edges=tuple(
            EdgeSnapshot(
                source=position[edge.source],
                target=position[edge.target],
                input=edge.type_number,
                partitioner=edge.partitioner,
                chained=not plan.obstacles[number],
                side_output=edge.side_output,
            )
            for number, edge in enumerate(graph.edges)
        ),
        slots=tuple(sorted(plan.execution_graph.slots_by_group)) if plan.execution_graph else None,
        declared={**job_facts(plan.job, surroundings), "planned-for": plan.flink.version},
        exported=plan.job.compiled is not None,
    )


def _operator(plan: Plan, node: StreamNode, key: str, ceiling: int, surroundings: Surroundings) -> OperatorSnapshot:
    operator = node.operator
    return OperatorSnapshot(
        key=key,
        name=node.name,
        kind=operator.kind if node.role == "operator" else f"{operator.kind}.{node.role}",
        id=plan.operator_ids[node.id],
        uid=node.uid,
        user_hash=node.user_hash,
        state=state_of(plan.job, node),
        parallelism=node.parallelism,
        max_parallelism=ceiling,
        group=node.slot_sharing_group,
        keyed_by=describe_key(plan.job.key_partitions(operator)),
        does=describe_behaviour(operator),
        output=_output(operator),
        declared=operator_facts(plan.job, operator, surroundings),
        written_id=operator.key if _is_yaml(plan.job) else None,
    )


def _output(operator: Operator) -> str | None:
    """The type of the records that an operator gives, where the job says it: as columns, or as PyFlink's type."""
    last = operator.merged[-1] if operator.merged else operator
    if last.output is not None or last.run is None or last.run.record_type is None:
        return last.output
    return str(last.run.record_type)


def _is_yaml(job: JobDefinition) -> bool:
    return job.location.file.endswith((".yaml", ".yml"))


def _max_parallelisms(plan: Plan) -> dict[int, int]:
    """By stream node, the max parallelism of its task; -1 where no operator of the task sets one."""
    found = {node.id: node.max_parallelism for node in plan.stream_graph.nodes}
    for vertex in plan.job_graph.vertices if plan.job_graph else ():
        members = (*vertex.nodes, *vertex.chained_sources)
        ceiling = vertex.max_parallelism if any(found[node] > 0 for node in members) else -1
        found.update(dict.fromkeys(members, ceiling))
    return found


def position_keys(graph: StreamGraph) -> dict[int, str]:
    """A key for every stream node: its uid, else its name and what is upstream of it, numbered where that repeats.

    Equal keys are numbered from the sources on, so that the order of independent operators in the file does not matter.
    """
    depth = longest_ways(graph.by_id, ((edge.source, edge.target) for edge in graph.edges))
    groups: dict[str, list[int]] = {}
    for node in graph.nodes:
        groups.setdefault(_base_key(graph, node), []).append(node.id)
    keys: dict[int, str] = {}
    for base, members in groups.items():
        members.sort(key=lambda number: (depth[number], number))
        for count, number in enumerate(members, start=1):
            keys[number] = base if count == 1 else f"{base} #{count}"
    return keys


def _base_key(graph: StreamGraph, node: StreamNode) -> str:
    if node.uid is not None:
        return f"uid {node.uid}"
    before = sorted(
        {
            (up.uid if up.uid is not None else up.name)
            for up in (graph.by_id[graph.edges[edge].source] for edge in graph.in_edges[node.id])
        }
    )
    return f"{node.name} after {' and '.join(before)}" if before else node.name
