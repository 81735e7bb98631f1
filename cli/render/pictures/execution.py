"""The execution graph as a picture: subtasks and their wiring, folded where it would not be readable."""

from __future__ import annotations

from collections.abc import Iterator

from cli.render.pictures.overlay import NOTHING, Overlay
from cli.render.pictures.picture import Arrow, Box, Frame, Picture
from cli.render.words import count
from planner.errors import OptionError
from planner.graphs.execution_graph import ExecutionEdge
from planner.pipeline import Plan

__all__ = ["execution_picture", "require_parallelism"]

MOST_SUBTASKS = 8  # of one vertex; more are drawn as the first ones, a fold and the last one
FIRST_SHOWN = 3
MOST_LINES = 9  # of one all-to-all exchange; more go through a hub
MOST_BOXES = 400  # of all vertices; above that each vertex is one box


def require_parallelism(plan: Plan, stage: str) -> None:
    """Refuse a stage that batch mode makes at run time only."""
    if plan.execution_graph is None:
        raise OptionError(
            f"there is no {stage} stage yet: batch mode decides the missing parallelisms at run time",
            hint="set a parallelism on every operator, or draw --stage job",
        )


def execution_picture(plan: Plan, overlay: Overlay = NOTHING) -> Picture:
    """Subtasks in one frame for each vertex, and who reads from whom."""
    require_parallelism(plan, "execution")
    graph, job_graph = plan.execution_graph, plan.job_graph
    assert graph is not None and job_graph is not None
    groups = _groups(graph.parallelisms)
    boxes = [
        _box(vertex, group, parallelism)
        for vertex, parallelism in enumerate(graph.parallelisms)
        for group in groups[vertex]
    ]
    wires: list[Arrow] = []
    for number, edge in enumerate(graph.edges):
        hubs, arrows = _wires(plan, number, edge, groups)
        boxes += hubs
        wires += arrows
    subtitle = (
        f"execution graph: {count(graph.execution_vertices, 'subtask')}, {count(graph.execution_edges, 'channel')}"
    )
    return Picture(
        title=plan.stream_graph.name,
        subtitle=f"{subtitle}, {count(graph.required_slots, 'slot')}",
        arrangement="lanes",
        boxes=tuple(boxes),
        clusters=tuple(_cluster(plan, position, overlay) for position in range(len(job_graph.vertices))),
        arrows=tuple(wires),
    )


def _cluster(plan: Plan, position: int, overlay: Overlay) -> Frame:
    """A vertex, with how many subtasks it has and over what it reads."""
    graph, job_graph = plan.execution_graph, plan.job_graph
    assert graph is not None and job_graph is not None
    vertex = job_graph.vertices[position]
    reads = [
        f"{job_graph.edges[edge.job_edge].ship_strategy} from {edge.source + 1}, {count(edge.channels, 'channel')}"
        for edge in graph.edges
        if edge.target == position
    ]
    note = overlay.vertices.get(position)
    facts = [count(graph.parallelisms[position], "subtask"), *reads, *([note.text] if note else [])]
    return Frame(
        id=f"c{position}",
        title=f"{position + 1}. {vertex.name}",
        subtitle="; ".join(facts),
        tooltip=f"task {position + 1}: {vertex.name}\n{vertex.id}",
        heat=note.heat if note else None,
    )


Group = tuple[int, int]  # first and last subtask that one box stands for


def _groups(parallelisms: tuple[int, ...]) -> list[list[Group]]:
    most = sum(min(parallelism, MOST_SUBTASKS) for parallelism in parallelisms)
    return [_fold(parallelism, one_box=most > MOST_BOXES) for parallelism in parallelisms]


def _fold(parallelism: int, *, one_box: bool) -> list[Group]:
    if one_box:
        return [(0, parallelism - 1)]
    if parallelism <= MOST_SUBTASKS:
        return [(subtask, subtask) for subtask in range(parallelism)]
    shown = [(subtask, subtask) for subtask in range(FIRST_SHOWN)]
    return [*shown, (FIRST_SHOWN, parallelism - 2), (parallelism - 1, parallelism - 1)]


def _box(vertex: int, group: Group, parallelism: int) -> Box:
    first, last = group
    single = first == last
    return Box(
        id=_id(vertex, group),
        title=str(first) if single else f"{first} ... {last}",
        lines=() if single else (count(last - first + 1, "subtask"),),
        kind="subtask" if single else "folded",
        cluster=f"c{vertex}",
        tooltip=f"subtask {first} of {parallelism}" if single else f"subtasks {first} to {last} of {parallelism}",
    )


def _id(vertex: int, group: Group) -> str:
    return f"s{vertex}_{group[0]}_{group[1]}"


def _wires(plan: Plan, number: int, edge: ExecutionEdge, groups: list[list[Group]]) -> tuple[list[Box], list[Arrow]]:
    assert plan.job_graph is not None
    strategy = plan.job_graph.edges[edge.job_edge].ship_strategy
    name = f"e{plan.job_graph.edges[edge.job_edge].stream_edge}"
    label = f"{strategy}, {count(edge.channels, 'channel')}"
    producers, consumers = groups[edge.source], groups[edge.target]
    if edge.distribution == "ALL_TO_ALL" and len(producers) * len(consumers) > MOST_LINES:
        hub = Box(
            id=f"h{name[1:]}", title=strategy, lines=(f"every to every: {count(edge.channels, 'channel')}",), kind="hub"
        )
        into = [Arrow(source=_id(edge.source, group), target=hub.id, kind="wire", id=name) for group in producers]
        return [hub], [
            *into,
            *(Arrow(source=hub.id, target=_id(edge.target, g), kind="wire", id=name) for g in consumers),
        ]
    pairs = list(dict.fromkeys(_pairs(edge, producers, consumers)))
    return [], [
        Arrow(
            source=_id(edge.source, producer),
            target=_id(edge.target, consumer),
            kind="wire",
            id=name,
            tooltip=f"{label}\n{producer[0]} -> {consumer[0]}",
        )
        for producer, consumer in pairs
    ]


def _pairs(edge: ExecutionEdge, producers: list[Group], consumers: list[Group]) -> Iterator[tuple[Group, Group]]:
    """The boxes between which at least one channel runs."""
    position = 0
    for subtask, low, high in edge.consumed:
        while consumers[position][1] < subtask:
            position += 1
        for producer in producers:
            if producer[0] <= high and low <= producer[1]:
                yield producer, consumers[position]
