"""PyFlink scripts as streams: a lowered job as the streaming runner takes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planner.errors import UnsupportedOnSpark
from planner.job import Operator
from planner.pipeline import Plan
from spark_runner.clusters.request import RunRequest
from spark_runner.executor.layout import EdgeSpec, VertexSpec
from spark_runner.program.program import Operation, SparkProgram
from spark_runner.pyflink.lower import lower_script, steps_of
from spark_runner.pyflink.program import ScriptJob, ScriptSink, ScriptSource
from spark_runner.streaming.opening import stream_interval
from spark_runner.streaming.program import Flow, StreamJob, StreamOperation, StreamSink, StreamSource, StreamVertex

__all__ = ["check_script", "script_program"]


def script_program(plan: Plan) -> SparkProgram:
    """The streaming program of a PyFlink job. Raises UnsupportedOnSpark for what would not run as in PyFlink."""
    job = lower_script(plan, streaming=True)
    return SparkProgram(
        name=plan.stream_graph.name,
        mode="streaming",
        file=plan.job.location.file,
        steps=steps_of(plan, job),
        passes=(),
        sinks=(),
        stream=_stream_job(job),
    )


def check_script(job: StreamJob, request: RunRequest) -> None:
    """Refuse what the stream of a script cannot do."""
    interval, once = stream_interval(request, job)
    for sink in job.sinks:
        if sink.kind == "collect" and interval is not None and not once:
            raise UnsupportedOnSpark(
                "execute_and_collect gives its records when the job is over, and this one never ends",
                location=sink.operator.location,
                hint="end it with --trigger available-now, or print the records",
            )


def _stream_job(job: ScriptJob) -> StreamJob:
    """The streaming job: what workers get is made already, so that only its columns are filled in."""
    return StreamJob(
        vertices=tuple(_vertex(job, vertex) for vertex in job.layout.vertices),
        flows=tuple(_flows(job)),
        sources=tuple(_source(job, source, number) for number, source in enumerate(job.sources)),
        sinks=tuple(map(_sink, job.sinks)),
        notes=tuple(_notes(job)),
        layout=job.layout,
    )


def _vertex(job: ScriptJob, vertex: VertexSpec) -> StreamVertex:
    operations = tuple(
        StreamOperation(
            operation=Operation(
                node=node.id, name=node.name, operator=_unmerged(node.operator, operator), parent=spec.parent,
                tag=spec.tag, role=spec.role, keyed=spec.keyed,
            ),
            id=spec.id,
        )
        for spec, (node, operator) in zip(vertex.operators, job.owners[vertex.number], strict=True)
    )  # fmt: skip
    return StreamVertex(
        number=vertex.number, id=vertex.id, name=vertex.name, layer=vertex.layer, parallelism=vertex.parallelism,
        max_parallelism=vertex.max_parallelism, operations=operations, stateful=vertex.stateful, watermarks=True,
        timers=any(spec.keyed for spec in vertex.operators),
    )  # fmt: skip


def _unmerged(whole: Operator, part: Operator) -> Operator:
    """A part of a merged operator by the name that the merged one has in figures."""
    return replace(part, key=whole.key, uid=whole.uid, uid_hash=whole.uid_hash)


def _flows(job: ScriptJob) -> Iterator[Flow]:
    edges = {edge.number: (vertex, edge) for vertex in job.layout.vertices for edge in vertex.edges}
    for _, (vertex, edge) in sorted(edges.items()):
        yield Flow(
            number=edge.number, source=vertex.number, operation=edge.node, tag=edge.tag, target=edge.target,
            columns=_columns(job, edge), position=edge.position, strategy=edge.strategy,
            producers=vertex.parallelism, consumers=edge.consumers, max_parallelism=edge.max_parallelism,
            reader=edge.reader,
        )  # fmt: skip


def _columns(job: ScriptJob, edge: EdgeSpec) -> str | None:
    return job.sinks[-1 - edge.target].columns if edge.target < 0 else None


def _source(job: ScriptJob, source: ScriptSource, number: int) -> StreamSource:
    operator = source.operator
    if source.reader is not None:
        operator = replace(operator, behaviour=source.reader, output=source.columns)
    return StreamSource(
        number=number, vertex=source.vertex, bounded=source.bounded, records=source.records,
        operation=Operation(node=source.node, name=source.name, operator=operator, parent=None),
        parallelism=job.layout.vertices[source.vertex].parallelism,
    )  # fmt: skip


def _sink(sink: ScriptSink) -> StreamSink:
    operator = sink.operator if sink.writer is None else replace(sink.operator, behaviour=sink.writer)
    return StreamSink(
        number=sink.number, kind=sink.kind, vertex=sink.vertex, node=sink.node, name=sink.name, operator=operator,
        parallelism=sink.parallelism, identifier=sink.identifier,
    )  # fmt: skip


def _notes(job: ScriptJob) -> Iterator[str]:
    for vertex in job.layout.vertices:
        for spec, (node, _) in zip(vertex.operators, job.owners[vertex.number], strict=True):
            if spec.keyed and node.operator.uid is None and node.operator.uid_hash is None:
                yield f"operator {node.operator.key!r} has no uid: its state is found by its place in the job"
