"""What real Flink printed about 15 jobs, with the truth beside it; and the same formats written from our plans."""

from __future__ import annotations

import html
import json
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from planner.graphs.job_graph import JobVertex
from planner.pipeline import Plan

_ARCHIVE = Path(__file__).with_name("flink_exports.tar.xz")
# 20 jobs of our own on Flink 2.3.0 and 1.20.5, each with the graph that docs/java/StreamGraphExport.java printed.
_GRAPHS = Path(__file__).with_name("flink_graphs.tar.xz")
# 92 random jobs and 5 star joins on the same versions: tuned chains, odd names, twins, absorbed sources, iterations.
_RANDOM = Path(__file__).with_name("flink_random.tar.xz")
_KEPT: list[tempfile.TemporaryDirectory[str]] = []  # for as long as the tests run


def unpacked() -> Path:
    """The folder of all exports."""
    return _unpacked(_ARCHIVE)


def unpacked_graphs() -> Path:
    """The folder of all jobs with an exported stream graph."""
    return _unpacked(_GRAPHS)


def unpacked_random() -> Path:
    """The folder of all random jobs."""
    return _unpacked(_RANDOM)


@cache
def _unpacked(path: Path) -> Path:
    folder = tempfile.TemporaryDirectory(prefix="flink-exports-")
    _KEPT.append(folder)
    with tarfile.open(path) as archive:
        archive.extractall(folder.name, filter="data")
    return Path(folder.name)


def names() -> list[str]:
    """The jobs, as VERSION/JOB."""
    return _jobs(_ARCHIVE)


def graphs() -> list[str]:
    """The jobs with an exported stream graph, as VERSION/JOB."""
    return _jobs(_GRAPHS)


def random_jobs() -> list[str]:
    """The random jobs, as VERSION/JOB."""
    return _jobs(_RANDOM)


def _jobs(path: Path) -> list[str]:
    with tarfile.open(path) as archive:
        found = [name.removesuffix("/truth.json") for name in archive.getnames() if name.endswith("/truth.json")]
    return sorted(found)


def planned() -> list[str]:
    """The jobs with a stream plan and a job plan."""
    return [name for name in names() if not name.startswith("rest/")]


def recorded() -> list[str]:
    """The jobs whose cluster was recorded."""
    return [name for name in names() if name.startswith("rest/")]


def read(name: str) -> Any:
    """One JSON document."""
    return json.loads((unpacked() / name).read_text(encoding="utf-8"))


def stream_plan_of(plan: Plan, *, alike: bool = False) -> dict[str, Any]:
    """A compiled job as Flink's stream plan; `alike` gives all operators one name."""
    graph = plan.stream_graph
    nodes = []
    for node in graph.nodes:
        name = _name(plan, node.id, alike)
        entry: dict[str, Any] = {
            "id": node.id,
            "type": name,
            "pact": "Data Source" if node.source else "Operator",
            "contents": name,
            "parallelism": node.parallelism if node.parallelism > 0 else max(plan.job.parallelism, 1),
        }
        if graph.in_edges[node.id]:
            entry["predecessors"] = [
                {"id": graph.edges[e].source, "ship_strategy": graph.edges[e].partitioner, "side": "second"}
                for e in graph.in_edges[node.id]
            ]
        nodes.append(entry)
    return {"nodes": nodes}


def job_plan_of(plan: Plan, *, alike: bool = False) -> dict[str, Any]:
    """A compiled job as Flink's job plan."""
    assert plan.job_graph is not None
    vertices = plan.job_graph.vertices
    nodes = []
    for place, vertex in enumerate(vertices):
        edges = [edge for edge in plan.job_graph.edges if edge.target == place]
        inputs = [
            {
                "id": vertices[edge.source].id,
                "num": number,
                "ship_strategy": edge.ship_strategy,
                "exchange": edge.result_type.lower(),
            }
            for number, edge in enumerate(edges)
        ]
        described = {"id": vertex.id, "parallelism": vertex.parallelism, "description": _tree(plan, vertex, alike)}
        nodes.append({**described, "inputs": inputs} if inputs else described)
    mode = "BATCH" if plan.stream_graph.batch else "STREAMING"
    return {"plan": {"jid": "0" * 32, "name": plan.stream_graph.name, "type": mode, "nodes": nodes[::-1]}}


def _name(plan: Plan, node: int, alike: bool) -> str:
    entry = plan.stream_graph.by_id[node]
    if alike:
        return "Source: x" if entry.source else "x"
    return entry.name


def _tree(plan: Plan, vertex: JobVertex, alike: bool) -> str:
    graph = plan.stream_graph
    lines: list[str] = []
    waiting = [(vertex.head, "", "")]
    while waiting:
        node, prefix, below = waiting.pop()
        label = _name(plan, node, alike)
        if node == vertex.head and vertex.chained_sources:
            label += f" [{', '.join(_name(plan, source, alike) for source in vertex.chained_sources)}]"
        lines.append(prefix + html.escape(label, quote=False).replace("\n", "<br/>"))
        targets = [graph.edges[edge].target for edge in graph.out_edges[node] if not plan.obstacles[edge]]
        branches = []
        for number, target in enumerate(targets):
            last = number == len(targets) - 1
            branches.append((target, below + ("+- " if last else ":- "), below + ("   " if last else ":  ")))
        waiting += reversed(branches)
    return "".join(f"{text}<br/>" for text in lines)
