"""From vertices that send each other chunks to what is shipped to workers: functions, options and Arrow columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa

from spark_runner.executor.conversion import columns_form, is_as_given
from spark_runner.executor.layout import (
    EdgeSpec,
    InputSpec,
    Layout,
    OperatorSpec,
    SourceSpec,
    VertexSpec,
)
from spark_runner.executor.rows import form_of
from spark_runner.program.chunks import ChunkPlan, Columns, Flow, Vertex
from spark_runner.program.pointwise import consumers_of_producers, producers_of_consumers
from spark_runner.program.program import Operation
from spark_runner.program.roles import ROLES
from spark_runner.program.worker_parts import partitioner_of, selector_of

__all__ = ["LayoutMaker"]


class LayoutMaker:
    """Makes the layout of a job whose sources' columns are known."""

    def __init__(
        self,
        job: ChunkPlan,
        schema_of: Callable[[str], pa.Schema],
        source_schemas: Mapping[int, pa.Schema],
        splits: Mapping[int, tuple[int, ...]] | None = None,
    ) -> None:
        """`splits`: those that are known of sources of Kafka, by the sources' numbers."""
        self.job, self.schema_of, self.source_schemas = job, schema_of, source_schemas
        self.splits = splits or {}
        self.first_producers: list[int] = []
        for vertex in job.vertices:
            before = self.first_producers[-1] + job.vertices[vertex.number - 1].parallelism if vertex.number else 0
            self.first_producers.append(before)

    def layout(self, generations: Mapping[str, int] | None = None) -> Layout:
        """The whole job; `generations` tells how often an operator's state was given up."""
        self.generations = generations or {}
        return Layout(
            vertices=tuple(self._vertex(vertex) for vertex in self.job.vertices),
            sources=tuple(
                SourceSpec(
                    number=source.number,
                    vertex=source.entry,
                    names=tuple(self.source_schemas[source.number].names)
                    if source.number in self.source_schemas
                    else (),
                )
                for source in self.job.sources
            ),
            script=self.job.script,
        )

    def _generation(self, state_id: str) -> str:
        generation = self.generations.get(state_id, 0)
        return f"{state_id}#{generation}" if generation else state_id

    def schema(self, columns: Columns) -> pa.Schema | None:
        """Arrow columns; None where records travel pickled."""
        if isinstance(columns, int):
            return self.source_schemas[columns]
        return None if columns is None else self.schema_of(columns)

    def _vertex(self, vertex: Vertex) -> VertexSpec:
        entering = [flow for flow in self.job.flows if flow.target == vertex.number]
        leaving = [flow for flow in self.job.flows if flow.source == vertex.number]
        return VertexSpec(
            number=vertex.number,
            id=vertex.id,
            name=vertex.name,
            layer=vertex.layer,
            parallelism=vertex.parallelism,
            first_producer=self.first_producers[vertex.number],
            operators=tuple(
                _operator(one, self._generation(one.id), self._declared(vertex, at, entering, leaving))
                for at, one in enumerate(vertex.operations)
            ),
            inputs=tuple(self._input(flow) for flow in entering),
            edges=tuple(self._edge(flow) for flow in leaving),
            stateful=vertex.stateful,
            watermarks=vertex.watermarks,
            max_parallelism=vertex.max_parallelism,
        )

    def _declared(self, vertex: Vertex, at: int, entering: list[Flow], leaving: list[Flow]) -> dict[str, object]:
        """Records have their declared types for readers in the same vertex too, and for functions that give their keys.

        Scripts name their own conversions.
        """
        operation, found = vertex.operations[at], dict[str, object]()
        if self.job.script:
            return found
        read = {one.tag for one in vertex.operations if one.parent == at}
        read |= {flow.tag for flow in leaving if flow.operation == at and self._looks_at_records(flow)}
        columns: Columns = operation.output
        if columns is None and operation.role == "reduce" and entering:
            columns = entering[0].columns
        if None in read and columns is not None and not ROLES[operation.role].gives_same:
            schema = self.schema(columns)
            found["form"] = None if schema is None else columns_form(schema)
        sides = {tag: ddl for tag, ddl in operation.sides if tag in read}
        if sides:
            found["tags"] = {tag: columns_form(self.schema_of(ddl)) for tag, ddl in sides.items()}
        return found

    def _input(self, flow: Flow) -> InputSpec:
        return InputSpec(
            edge=flow.number,
            position=flow.position,
            first_producer=self.first_producers[flow.source],
            producers=flow.producers,
            ranges=producers_of_consumers(flow.ranges, flow.consumers),
            key_column=self._key_column(flow),
            schema=self.schema(flow.columns),
            idle=self._idleness(flow.source),
            splits=self._splits(flow),
        )

    def _looks_at_records(self, flow: Flow) -> bool:
        """Whether the key or the subtask of a record that leaves depends on its declared type."""
        if flow.custom is not None or flow.key is None:
            return flow.custom is not None
        at, schema = self._key_column(flow), self.schema(flow.columns)
        return at is None or schema is None or not is_as_given(schema.field(at).type)

    def _key_column(self, flow: Flow) -> int | None:
        """Which column the records were moved by, where the key is one column as it is."""
        schema = self.schema(flow.columns)
        if flow.key is None or flow.custom is not None or len(flow.key.columns) != 1 or schema is None:
            return None
        at = schema.get_field_index(flow.key.columns[0])
        return at if at >= 0 and form_of(schema.names) in ("tuple", "row") else None

    def _splits(self, flow: Flow) -> tuple[int, ...] | None:
        """The known splits whose watermarks come with a flow; None where watermarks hold for a whole subtask."""
        source = self.job.split_source(flow)
        return None if source is None else self.splits.get(source.number, ())

    def _idleness(self, vertex: int) -> int | None:
        """The idle timeout of the strategy that a vertex has, or its source upstream of it."""
        feeders = [source.feeder for source in self.job.sources if source.vertex == vertex]
        chain = [self.job.vertices[at] for at in (vertex, *feeders) if at is not None]
        return next((one.idle for one in chain if one.idle is not None), None)

    def _edge(self, flow: Flow) -> EdgeSpec:
        wants = flow.target >= 0 and self.job.vertices[flow.target].watermarks
        return EdgeSpec(
            number=flow.number,
            node=flow.operation,
            tag=flow.tag,
            target=flow.target,
            position=flow.position,
            strategy=flow.strategy,
            consumers=flow.consumers,
            ranges=consumers_of_producers(flow.ranges, flow.producers),
            selector=None if flow.key is None else selector_of(flow.key, self.schema_of),
            key_column=self._key_column(flow),
            custom=None if flow.custom is None else partitioner_of(flow.custom.target),
            pairs=flow.pairs,
            max_parallelism=flow.max_parallelism,
            schema=self.schema(flow.columns),
            blame=flow.declared_by if flow.declared_by is not None else flow.operation,
            reader=flow.reader,
            watermarks=wants,
            by_split=self._splits(flow) is not None,
        )


def _operator(one: Operation, state_id: str, declared: dict[str, object]) -> OperatorSpec:
    key, name, place = one.told_as
    return OperatorSpec(
        role=one.role,
        function=one.function,
        parent=one.parent,
        tag=one.tag,
        id=state_id,
        key=key,
        name=name,
        place=place,
        keyed=one.keyed,
        inlined=one.inlined,
        options={**one.options, **declared},
    )
