"""The job plan: what `GET /jobs/ID/plan` answers. It names every operator of every chain."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property

from planner.errors import JobDefinitionError
from planner.frontends.flink_export.chain_text import NamedLink, read_chain, read_known_chain
from planner.frontends.flink_export.fields import JsonObject, is_object, json_object, json_objects, number, text
from planner.records import record


@record
class VertexInput:
    """One exchange into a vertex; `source` is a position in `JobPlan.vertices`."""

    source: int
    ship: str
    exchange: str  # pipelined_bounded, blocking, ...


@record
class PlanVertex:
    """One vertex of the job plan: a chain of operators."""

    id: str
    parallelism: int
    links: tuple[NamedLink, ...]
    inputs: tuple[VertexInput, ...]
    description: str = ""  # as Flink wrote it


@record(slots=False)
class JobPlan:
    """The vertices of a job after chaining."""

    name: str
    batch: bool
    vertices: tuple[PlanVertex, ...]

    @cached_property
    def by_id(self) -> dict[str, int]:
        """Positions in `vertices` by vertex id."""
        return {vertex.id: position for position, vertex in enumerate(self.vertices)}

    def read_again(self, labels: Collection[str]) -> JobPlan:
        """The same plan with its chains read by the descriptions of the operators, which may hold anything."""
        vertices = (
            replace(vertex, links=read_known_chain(vertex.description, labels) or vertex.links)
            for vertex in self.vertices
        )
        return replace(self, vertices=tuple(vertices))


def is_job_plan(document: JsonObject) -> bool:
    """Whether a JSON object is a job plan, bare or inside of `plan`."""
    inner = document.get("plan")
    plan = inner if is_object(inner) else document
    nodes = plan.get("nodes")
    return isinstance(nodes, list) and ("jid" in plan or any(is_object(n) and "description" in n for n in nodes))


def read_job_plan(document: JsonObject, where: str) -> JobPlan:
    """The job plan of a JSON object."""
    if "plan" in document:
        where, document = f"{where}.plan", json_object(document["plan"], f"{where}.plan")
    found = list(json_objects(document, "nodes", where))
    if not found:
        raise JobDefinitionError(f"{where}: the plan has no nodes")
    ids = {text(entry, "id", place): position for position, (entry, place) in enumerate(found)}
    if len(ids) < len(found):
        raise JobDefinitionError(f"{where}: two nodes have the same id")
    return JobPlan(
        name=text(document, "name", where, "Flink job"),
        batch=text(document, "type", where, "STREAMING").upper() == "BATCH",
        vertices=_sources_first(tuple(_vertex(entry, place, ids) for entry, place in found), where),
    )


def _sources_first(vertices: tuple[PlanVertex, ...], where: str) -> tuple[PlanVertex, ...]:
    """The vertices after all of their inputs. Flink lists them the other way round, or in this order."""
    readers: list[list[int]] = [[] for _ in vertices]
    missing = [len({one.source for one in vertex.inputs}) for vertex in vertices]
    for place, vertex in enumerate(vertices):
        for source in {one.source for one in vertex.inputs}:
            readers[source].append(place)
    forward = all(one.source < place for place, vertex in enumerate(vertices) for one in vertex.inputs)
    order = [place for place, count in enumerate(missing) if not count]
    order = order if forward else order[::-1]
    for place in order:  # grows while it is walked
        for reader in readers[place] if forward else reversed(readers[place]):
            missing[reader] -= 1
            if not missing[reader]:
                order.append(reader)
    if len(order) < len(vertices):
        raise JobDefinitionError(f"{where}: the plan goes in a circle")
    position = {old: new for new, old in enumerate(order)}
    return tuple(
        replace(
            vertices[old],
            inputs=tuple(replace(one, source=position[one.source]) for one in vertices[old].inputs),
        )
        for old in order
    )


def _vertex(entry: JsonObject, place: str, ids: dict[str, int]) -> PlanVertex:
    return PlanVertex(
        id=text(entry, "id", place),
        parallelism=number(entry, "parallelism", place, -1),
        links=read_chain(text(entry, "description", place)),
        inputs=tuple(_input(one, at, ids) for one, at in json_objects(entry, "inputs", place)),
        description=text(entry, "description", place),
    )


def _input(entry: JsonObject, place: str, ids: dict[str, int]) -> VertexInput:
    source = text(entry, "id", place)
    if source not in ids:
        raise JobDefinitionError(f"{place}: the plan has no node {source}")
    return VertexInput(
        source=ids[source],
        ship=text(entry, "ship_strategy", place, "FORWARD"),
        exchange=text(entry, "exchange", place, "").lower(),
    )
