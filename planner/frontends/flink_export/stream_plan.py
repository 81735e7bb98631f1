"""The stream plan: what `getExecutionPlan()`, `flink info` and EXPLAIN JSON_EXECUTION_PLAN print before a job runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from planner.errors import JobDefinitionError
from planner.frontends.flink_export.fields import JsonObject, json_object, json_objects, number, text
from planner.records import record
from planner.topology import topological_order

_ITERATION_END = re.compile(r"Iteration(Source|Sink)-\d+")


@record
class PlanNode:
    """One operator of the stream plan."""

    id: int
    name: str
    description: str
    parallelism: int
    exchange: str | None = None  # set only by the stream graph of an adaptive batch job
    vertex: str | None = None  # the same

    @property
    def iteration_end(self) -> bool:
        """Whether this is the head or the tail of an iteration: Flink gives these negative ids and no operator."""
        return self.id < 0 and is_iteration_end(self.name)


def is_iteration_end(name: str) -> bool:
    """Whether this is the name that Flink gives to the head or the tail of an iteration."""
    return _ITERATION_END.fullmatch(name) is not None


@record
class PlanEdge:
    """One edge; `source` and `target` are positions in `StreamPlan.nodes`."""

    source: int
    target: int
    ship: str
    exchange: str | None = None  # UNDEFINED, PIPELINED or BATCH, where the plan says it


@record(slots=False)
class StreamPlan:
    """The operators and edges of a job before chaining. In-edges keep the order in which Flink lists them."""

    nodes: tuple[PlanNode, ...]
    edges: tuple[PlanEdge, ...]

    @cached_property
    def into(self) -> tuple[tuple[int, ...], ...]:
        """By node, the positions of the edges that enter it."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for position, edge in enumerate(self.edges):
            found[edge.target].append(position)
        return tuple(tuple(positions) for positions in found)

    @cached_property
    def out(self) -> tuple[tuple[int, ...], ...]:
        """By node, the positions of the edges that leave it, by the id of their target."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for position, edge in enumerate(self.edges):
            found[edge.source].append(position)
        return tuple(
            tuple(sorted(positions, key=lambda at: (self.nodes[self.edges[at].target].id, at))) for positions in found
        )


def is_stream_plan(document: JsonObject) -> bool:
    """Whether a JSON object is a stream plan: a list of nodes with a `pact`."""
    nodes = document.get("nodes")
    if not isinstance(nodes, list) or "jid" in document:
        return False
    return all(isinstance(node, dict) and ("pact" in node or "contents" in node) for node in nodes)


def read_stream_plan(document: JsonObject, where: str) -> StreamPlan:
    """The stream plan of a JSON object."""
    found = list(_nodes(document, where))
    nodes = tuple(_node(entry, place) for entry, place in found)
    position = _positions([node.id for node in nodes], where)
    edges = tuple(
        PlanEdge(source=_position(position, up, at), target=target, ship=text(up, "ship_strategy", at, "FORWARD"))
        for target, (entry, place) in enumerate(found)
        for up, at in json_objects(entry, "predecessors", place)
    )
    return _checked(StreamPlan(nodes=nodes, edges=edges), where)


def read_stream_graph(document: JsonObject, where: str) -> StreamPlan:
    """The stream graph within `/jobs/ID` of an adaptive batch job: a stream plan that also knows the vertices."""
    found = list(json_objects(document, "nodes", where))
    nodes = tuple(
        PlanNode(
            id=number(entry, "id", place),
            name=text(entry, "operator", place),
            description=text(entry, "description", place, ""),
            parallelism=number(entry, "parallelism", place, -1),
            vertex=text(entry, "job_vertex_id", place, "") or None,
        )
        for entry, place in found
    )
    position = _positions([node.id for node in nodes], where)
    edges = tuple(
        PlanEdge(
            source=_position(position, up, at),
            target=target,
            ship=text(up, "ship_strategy", at, "FORWARD"),
            exchange=text(up, "exchange", at, "") or None,
        )
        for target, (entry, place) in enumerate(found)
        for up, at in json_objects(entry, "inputs", place)
    )
    return _checked(StreamPlan(nodes=nodes, edges=edges), where)


def _nodes(document: JsonObject, where: str) -> Iterator[tuple[JsonObject, str]]:
    """All nodes, those inside an iteration too (`step_function`, Flink 1.x)."""
    waiting = [(document, "nodes", where)]
    while waiting:
        holder, key, place = waiting.pop()
        for entry, at in json_objects(holder, key, place):
            if "step_function" in entry:
                waiting.append((entry, "step_function", at))
            else:
                yield entry, at


def _node(entry: JsonObject, place: str) -> PlanNode:
    name = text(entry, "type", place, text(entry, "contents", place, ""))
    return PlanNode(
        id=number(entry, "id", place),
        name=name,
        description=text(entry, "contents", place, name),
        parallelism=number(entry, "parallelism", place, -1),
    )


def _positions(ids: list[int], where: str) -> Mapping[int, int]:
    found: dict[int, int] = {}
    for position, node in enumerate(ids):
        if found.setdefault(node, position) != position:
            raise JobDefinitionError(f"{where}: two nodes have the id {node}")
    return found


def _position(positions: Mapping[int, int], predecessor: JsonObject, place: str) -> int:
    node = number(json_object(predecessor, place), "id", place)
    if node not in positions:
        raise JobDefinitionError(f"{place}: the plan has no node {node}")
    return positions[node]


def _checked(plan: StreamPlan, where: str) -> StreamPlan:
    """Refuse an empty plan and one that goes in circles: a job has neither."""
    if not plan.nodes:
        raise JobDefinitionError(f"{where}: the plan has no nodes")
    order = topological_order(range(len(plan.nodes)), ((edge.source, edge.target) for edge in plan.edges))
    if len(order) < len(plan.nodes):
        raise JobDefinitionError(f"{where}: the plan goes in a circle")
    return plan
