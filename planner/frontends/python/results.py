"""What `execute` and `execute_and_collect` return while a script is only loaded: the script can go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

from planner.flink.differences import flink as flink_profile
from planner.graphs.stream_building import build_stream_graph

if TYPE_CHECKING:
    from planner.frontends.python.declared.settings import JobID
    from planner.job import JobDefinition

__all__ = ["CloseableIterator", "JobExecutionResult", "printed_plan"]


def printed_plan(job: JobDefinition) -> str:
    """What `get_execution_plan` returns: the nodes of the stream graph and who they read."""
    import json  # for scripts that print their plan

    from planner.merging import compile_python_layer

    written = compile_python_layer(job).job if job.python is not None else job
    graph = build_stream_graph(written, flink_profile(job.flink))
    nodes: dict[int, dict[str, Any]] = {
        node.id: {
            "id": node.id,
            "type": node.name,
            "pact": "Data Source" if node.source else "Operator",
            "contents": node.name,
            "parallelism": node.parallelism,
        }
        for node in graph.nodes
    }
    for edge in graph.edges:
        read = {"id": edge.source, "ship_strategy": edge.partitioner, "side": "second"}
        nodes[edge.target].setdefault("predecessors", []).append(read)
    return json.dumps({"nodes": list(nodes.values())}, indent=2)


class JobExecutionResult:
    """What `execute` returns: the result of a job that did not run yet, or not here."""

    def __init__(self, j_job_execution_result: Any = None) -> None:
        self.job_name = j_job_execution_result

    def get_job_name(self) -> str:
        """The job's name; ours, not PyFlink's."""
        return str(self.job_name)

    def get_job_id(self) -> JobID:
        """An id like any other."""
        from planner.frontends.python.declared.settings import JobID as Id

        return Id()

    def is_job_execution_result(self) -> bool:
        """Yes."""
        return True

    def wait(self) -> None:
        """Nothing to wait for. PyFlink has no such method, but scripts call it after jobs that never end."""

    def get_net_runtime(self) -> int:
        """No time at all."""
        return 0

    def get_accumulator_result(self, accumulator_name: str) -> Any:
        """Nothing was counted."""
        return None

    def get_all_accumulator_results(self) -> dict[str, Any]:
        """Nothing was counted."""
        return {}


class CloseableIterator:
    """The records of `execute_and_collect`: none while a script is only loaded."""

    def __init__(self, records: Iterable[Any] = ()) -> None:
        self._records = iter(records)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.next()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def next(self) -> Any:
        """The next record."""
        for record in self._records:
            return record
        raise StopIteration("No more data.")

    def close(self) -> None:
        """Give no more records."""
        self._records = iter(())
