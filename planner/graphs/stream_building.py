"""Building the StreamGraph from a job.

The operators are walked in creation order. An input that is virtual (a union, a partition, a side output) is followed
back to the operators behind it; what was met on the way becomes the partitioner, the exchange mode and the side output
of the edge.
"""

from __future__ import annotations

from planner.errors import PlanningError
from planner.flink.profile import FlinkProfile
from planner.flink.registry import flink as flink_profile
from planner.graphs.growing_graph import GrowingGraph
from planner.graphs.sink_expansion import expand_sink
from planner.graphs.stream_graph import StreamGraph
from planner.job import JobDefinition, Operator, Union
from planner.kinds import SINKS

__all__ = ["build_stream_graph", "runs_in_batch_mode"]


def build_stream_graph(job: JobDefinition, flink: FlinkProfile | None = None) -> StreamGraph:
    """Compile the transformations of a job into the StreamGraph of a version of Flink: the newest, if none is given."""
    graph = GrowingGraph(job, runs_in_batch_mode(job), flink or flink_profile())
    consumed = _consumed_sources(job)
    for operator in job.operators:
        if operator.name == "" or operator.uid == "":
            _refuse_empty_label(operator, graph.settings.flink)
        if operator.kind == "source":
            # Flink reaches sources through their consumers only: one that nobody reads is not in the graph.
            if operator.id in consumed:
                graph.add_operator(operator)
        elif operator.kind == "sink" and operator.api == "v2":
            expand_sink(graph, operator)
        else:
            graph.add_operator(operator)
    if all(operator.kind == "source" for operator in job.operators):
        raise PlanningError(
            "the job has no operators: sources alone do nothing" if job.operators else "the job is empty",
            location=job.location,
            hint="add at least one operator or sink that reads a source",
        )
    return graph.finish()


def runs_in_batch_mode(job: JobDefinition) -> bool:
    """Whether Flink compiles the job as a batch; refuses batch mode over an unbounded source."""
    if job.runtime_mode == "streaming":
        return False
    consumed = _consumed_sources(job)
    unbounded = next((o for o in job.operators if o.kind == "source" and not o.bounded and o.id in consumed), None)
    if job.runtime_mode == "batch" and unbounded is not None:
        kind = "a legacy SourceFunction" if unbounded.legacy else "an unbounded source"
        raise PlanningError(
            f"runtime mode is batch, but {unbounded.key} is {kind}",
            location=unbounded.location,
            hint="set the runtime mode to streaming or automatic, or read from a bounded source",
        )
    return job.runtime_mode == "batch" or (job.runtime_mode == "automatic" and unbounded is None)


def _refuse_empty_label(operator: Operator, flink: FlinkProfile) -> None:
    """What Flink says to `name("")` and `uid("")`."""
    may_be_nameless = operator.kind == "source" or operator.kind in SINKS
    if flink.empty_labels or (operator.uid != "" and may_be_nameless):
        return
    what = "uid" if operator.uid == "" else "name"
    raise PlanningError(
        f"the {what} of {operator.key} must not be empty: Flink {flink.version} refuses it",
        location=operator.location,
        hint=f"give it a {what}, or remove the setting",
    )


def _consumed_sources(job: JobDefinition) -> frozenset[int]:
    """Ids of every transformation that some operator reads, directly or through virtual ones."""
    by_id = job.by_id
    seen = {source for operator in job.operators for source in operator.inputs}
    waiting = [number for number in seen if not isinstance(by_id[number], Operator)]
    while waiting:
        virtual = by_id[waiting.pop()]
        if isinstance(virtual, Operator):
            continue
        behind = virtual.inputs if isinstance(virtual, Union) else (virtual.input,)
        waiting += [number for number in behind if number not in seen]
        seen.update(behind)
    return frozenset(seen)
