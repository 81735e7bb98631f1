"""The job that would be restored, reduced to what Flink looks at: vertices, ids, parallelism, max parallelism."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from planner.flink.profile import FlinkProfile
from planner.graphs.state_lookup import state_id
from planner.pipeline import Plan
from planner.records import record

__all__ = ["NewJob", "NewOperator", "NewVertex", "reduce_plan"]


@record
class NewOperator:
    """One operator of the new job."""

    id: str  # generated, or of its uid
    uid_hash: str | None  # a further id, under which it takes state
    node: int  # in the stream graph


@record
class NewVertex:
    """One chain of the new job. Its operators are in Flink's order, the head last."""

    name: str
    parallelism: int
    max_parallelism: int  # -1: not set by the user
    operators: tuple[NewOperator, ...]
    inputs: tuple[tuple[int, bool], ...]  # positions of the vertices before it, and whether all read from all

    def taken(self, saved: Mapping[str, object]) -> Iterator[tuple[NewOperator, str]]:
        """Each operator with the id under which it takes state: of its uid hash where the savepoint has that."""
        for operator in self.operators:
            yield operator, state_id(operator.id, operator.uid_hash, saved)


@record(slots=False)
class NewJob:
    """The vertices of the new job, and the version of Flink that runs it."""

    vertices: tuple[NewVertex, ...]
    flink: FlinkProfile

    @cached_property
    def by_id(self) -> Mapping[str, NewVertex]:
        """The vertex of every id that Flink looks up: generated ids, and uid hashes."""
        generated = {operator.id: vertex for vertex in self.vertices for operator in vertex.operators}
        hashed = {o.uid_hash: vertex for vertex in self.vertices for o in vertex.operators if o.uid_hash is not None}
        return {**hashed, **generated}


def reduce_plan(plan: Plan) -> NewJob:
    """The new job of a plan that was compiled up to its job graph."""
    graph = plan.job_graph
    assert graph is not None
    node_of = {id_: node for node, id_ in plan.operator_ids.items()}
    set_by_user = {node.id for node in plan.stream_graph.nodes if node.max_parallelism > 0}
    inputs: dict[int, list[tuple[int, bool]]] = {}
    for edge in graph.edges:
        inputs.setdefault(edge.target, []).append((edge.source, edge.distribution == "ALL_TO_ALL"))
    vertices = []
    for position, vertex in enumerate(graph.vertices):
        configured = any(node in set_by_user for node in (*vertex.nodes, *vertex.chained_sources))
        pairs = zip(vertex.operator_ids, vertex.user_hashes, strict=True)
        vertices.append(
            NewVertex(
                name=vertex.name,
                parallelism=vertex.parallelism,
                max_parallelism=vertex.max_parallelism if configured else -1,
                operators=tuple(NewOperator(id=id_, uid_hash=hashed, node=node_of[id_]) for id_, hashed in pairs),
                inputs=tuple(inputs.get(position, ())),
            )
        )
    return NewJob(vertices=tuple(vertices), flink=plan.flink)
