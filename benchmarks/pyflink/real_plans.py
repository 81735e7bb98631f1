"""Real PyFlink's plans of scripts, as JSON lines; runs in an environment with apache-flink, never in `make test`.

    FLINK_PYTHON benchmarks/pyflink/real_plans.py SCRIPT... > plans.jsonl

Every script is run as __main__ up to its `execute` calls. These compile the job with PyFlink and Flink and write its
stream graph and job graph down in place of running it. Ids are counted from 1 in every
script, whatever was compiled before it; only the id of a collect sink, which is a hash of its number, shows it.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from typing import Any

os.environ["_python_worker_execution_mode"] = "process"  # noqa: SIM112 (no worker pool is started)

from pyflink.datastream import DataStream, StreamExecutionEnvironment  # type: ignore[import-not-found]
from pyflink.java_gateway import get_gateway  # type: ignore[import-not-found]

COLLECTED: list[dict[str, Any]] = []


class Counter:
    """Flink counts the transformations of a whole process: where this script began."""

    begin = 0


def begin_script() -> None:
    """Remember where Flink's counter stands."""
    Counter.begin = get_gateway().jvm.org.apache.flink.api.dag.Transformation.getNewNodeId()


def own_id(identity: int) -> int:
    """An id as a script of its own would have it."""
    return identity - Counter.begin


def execute(self: Any, job_name: str | None = None) -> Any:
    """Compile in place of running."""
    COLLECTED.append(described(self._generate_stream_graph(clear_transformations=True, job_name=job_name)))
    return Nothing()


def execute_async(self: Any, job_name: str = "Flink Streaming Job") -> Any:
    """Compile in place of running."""
    return execute(self, job_name)


def execute_and_collect(self: Any, job_execution_name: str | None = None, limit: int | None = None) -> Any:
    """Compile in place of running."""
    environment = self._j_data_stream.getExecutionEnvironment()
    get_gateway().jvm.org.apache.flink.python.util.PythonConfigUtil.configPythonOperator(environment)
    self._apply_chaining_optimization()
    self._j_data_stream.collectAsync()
    graph = environment.getStreamGraph(True)
    graph.setJobName(job_execution_name or "DataStream Collect")
    COLLECTED.append(described(graph))
    return Nothing() if limit is None else []


class Nothing:
    """An answer to whatever a script asks of its job."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self

    def __iter__(self) -> Any:
        return iter(())

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def described(graph: Any) -> dict[str, Any]:
    """A stream graph and its job graph, in the shape of plans."""
    stream_graph = {"nodes": nodes(graph), "edges": edges(graph)}  # before the job graph, which changes it
    jobs = graph.getJobGraph()
    return {
        "name": graph.getJobName(),
        "stream_graph": stream_graph,
        "job_graph": {"vertices": [vertex(v) for v in listed(jobs.getVerticesSortedTopologicallyFromSources())]},
    }


def listed(found: Any) -> list[Any]:
    """A Java collection as a list."""
    return list(get_gateway().jvm.java.util.ArrayList(found))


def nodes(graph: Any) -> list[dict[str, Any]]:
    """The nodes by id."""
    found = []
    for node in listed(graph.getStreamNodes()):
        strategy = node.getOperatorFactory().getChainingStrategy().toString()
        found.append(
            {
                "id": own_id(node.getId()),
                "name": node.getOperatorName(),
                "parallelism": node.getParallelism(),
                "max_parallelism": node.getMaxParallelism(),
                "slot_sharing_group": node.getSlotSharingGroup(),
                "chaining_strategy": strategy,
            }
        )
    return sorted(found, key=lambda node: int(node["id"]))


def edges(graph: Any) -> list[dict[str, Any]]:
    """The edges by source node, then output order."""
    found = []
    for node in sorted(listed(graph.getStreamNodes()), key=lambda node: int(node.getId())):
        for edge in listed(node.getOutEdges()):
            tag = edge.getOutputTag()
            found.append(
                {
                    "source": own_id(edge.getSourceId()),
                    "target": own_id(edge.getTargetId()),
                    "partitioner": partitioner(edge.getPartitioner()),
                    "type_number": edge.getTypeNumber(),
                    "side_output": tag.getId() if tag is not None else None,
                }
            )
    return found


NAMES = {"KEYGROUP": "HASH", "CUSTOMPARTITIONERWRAPPER": "CUSTOM"}


def partitioner(found: Any) -> str:
    """A partitioner by the name that plans use."""
    name = found.getClass().getSimpleName().upper().removesuffix("PARTITIONER")
    name = name.removesuffix("STREAM") if name.endswith("STREAM") else name
    return {"KEYGROUP": "HASH", "CUSTOMPARTITIONERWRAPPER": "CUSTOM", "FORWARDFORUNSPECIFIED": "FORWARD",
            "FORWARDFORCONSECUTIVEHASH": "HASH", "CUSTOMWRAPPER": "CUSTOM"}.get(name, name)  # fmt: skip


def vertex(found: Any) -> dict[str, Any]:
    """One vertex of the job graph."""
    group = found.getSlotSharingGroup()
    described = {
        "id": found.getID().toString(),
        "name": found.getName(),
        "parallelism": found.getParallelism(),
        "max_parallelism": found.getMaxParallelism(),
        "operator_ids": [pair.getGeneratedOperatorID().toString() for pair in listed(found.getOperatorIDs())],
    }
    if group is None or "getSlotSharingGroupName" in dir(group):  # Flink 1.x has no name there
        described["slot_sharing_group"] = group.getSlotSharingGroupName() if group is not None else None
    return described


def main(scripts: list[str]) -> None:
    """Compile every script and print its plans, or why there are none."""
    StreamExecutionEnvironment.execute = execute
    StreamExecutionEnvironment.execute_async = execute_async
    DataStream.execute_and_collect = execute_and_collect
    for script in scripts:
        COLLECTED.clear()
        begin_script()
        error = None
        sys.argv = [script]
        sys.path.insert(0, os.path.dirname(os.path.abspath(script)))  # noqa: PTH100,PTH120
        try:
            runpy.run_path(script, run_name="__main__")
        except BaseException as raised:  # whatever a script does, the others follow
            ended_well = isinstance(raised, SystemExit) and not raised.code
            error = None if ended_well else "".join(traceback.format_exception_only(raised))[:1500]
        sys.path.pop(0)
        line = {"script": script, "plans": None if error else list(COLLECTED), "error": error}
        print("PLAN " + json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
