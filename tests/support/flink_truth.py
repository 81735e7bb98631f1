"""Flink's own job graph of a stream graph, read by getters, and the comparison of a plan of ours with it.

Run as a program it is `in_flink.py` with the job graph beside every job.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

_PROGRAM = Path(__file__).parents[2] / "planner/frontends/flink_compiler/in_flink.py"


def truth_of(gateway: Any, graph: Any, loader: Any) -> dict[str, Any]:
    """Operator ids, vertices and edges as Flink makes them."""
    hasher = gateway.jvm.org.apache.flink.streaming.api.graph.StreamGraphHasherV2()
    hashes = hasher.traverseStreamGraphAndGenerateHashes(graph)
    made = graph.getJobGraph(loader, None)
    vertices, edges = [], []
    for vertex in made.getVerticesSortedTopologicallyFromSources():
        vertices.append(
            {
                "id": vertex.getID().toHexString(),
                "name": vertex.getName(),
                "parallelism": vertex.getParallelism(),
                "max_parallelism": vertex.getMaxParallelism(),
                "operator_ids": [pair.getGeneratedOperatorID().toHexString() for pair in vertex.getOperatorIDs()],
            }
        )
        for edge in vertex.getInputs():
            edges.append(
                {
                    "source": edge.getSource().getProducer().getID().toHexString(),
                    "target": vertex.getID().toHexString(),
                    "ship_strategy": edge.getShipStrategyName(),
                    "distribution": edge.getDistributionPattern().name(),
                    "result_type": edge.getSource().getResultType().name(),
                }
            )
    ids = {str(node): bytes(hashes[node]).hex() for node in hashes}
    return {"operator_ids": ids, "vertices": vertices, "edges": edges}


def differences(plan: Any, truth: Any) -> list[str]:
    """In what a plan differs from Flink's own job graph: empty where it does not."""
    found = []
    if {str(node): one for node, one in plan.operator_ids.items()} != truth["operator_ids"]:
        found.append("operator ids")
    vertices = plan.job_graph.vertices
    most = {one["id"]: one.get("max_parallelism") for one in truth["vertices"]}  # older records lack it
    ours = [
        (one.id, one.name, one.parallelism, list(one.operator_ids), most.get(one.id) and one.max_parallelism)
        for one in vertices
    ]
    theirs = [
        (one["id"], one["name"], one["parallelism"], one["operator_ids"], most[one["id"]]) for one in truth["vertices"]
    ]
    if ours != theirs:
        found.append(f"vertices: {ours} and not {theirs}")
    edges = sorted(
        (vertices[one.source].id, vertices[one.target].id, one.ship_strategy, one.distribution)
        for one in plan.job_graph.edges
    )
    expected = sorted(
        (one["source"], one["target"], (one["ship_strategy"] or "").split("[")[0], one["distribution"])
        for one in truth["edges"]
    )
    if edges != expected:
        found.append(f"edges: {edges} and not {expected}")
    results = sorted((vertices[one.target].id, one.result_type) for one in plan.job_graph.edges)
    kept = sorted((one["target"], one["result_type"]) for one in truth["edges"] if "result_type" in one)
    if kept and results != kept:
        found.append(f"results: {results} and not {kept}")
    return found


def main() -> None:
    """Answer a request with Flink's own job graph beside every job."""
    spec = importlib.util.spec_from_file_location("in_flink", _PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    in_flink = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(in_flink)

    class Compared(in_flink.Executor):  # type: ignore[name-defined,misc]
        def beside(self, graph: Any, loader: Any) -> dict[str, Any]:
            return {"truth": truth_of(self.gateway, graph, loader)}

    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123
        in_flink.main(json.load(file), Compared)


if __name__ == "__main__":
    sys.path.pop(0)
    main()
