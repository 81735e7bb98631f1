"""The operators of PyFlink scripts: merged operators as their parts, helpers with their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from planner.frontends.python.values.rows import Row
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Operator, Partition, PythonRun
from spark_runner.lowering.inlining import inlined
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.operator_parts import OperatorPart, OperatorParts, Routing, SinkEnd, SourceEnd
from spark_runner.lowering.scripts.forms import form_of, whole
from spark_runner.lowering.scripts.parts import given_form, part_of, refused
from spark_runner.lowering.scripts.sinks import write_end
from spark_runner.lowering.scripts.sources import read_end
from spark_runner.program.program import Key, Mode
from spark_runner.program.roles import ROLES

__all__ = ["ScriptOperators"]


class ScriptOperators:
    """Records are converted where PyFlink converts them: where they leave a merged operator."""

    script = True

    def __init__(self, view: JobView, mode: Mode) -> None:
        self._view, self._job = view, view.job
        self._streaming = mode == "streaming"
        # automatic is batch where every source of a bounded run ends
        self._batch = not self._streaming and view.job.runtime_mode != "streaming"

    def operator(self, node: StreamNode) -> Operator:
        """A node's operator: functions of a script are there when it was loaded."""
        return node.operator

    def source(self, node: StreamNode) -> SourceEnd:
        """A source, what makes records of it, and its own strategy."""
        operator = node.operator
        end = read_end(operator, streaming=self._streaming)
        reads = operator if end.numbers is None else replace(operator, behaviour=end.numbers)
        if end.reader is not None:
            reads = replace(operator, behaviour=end.reader, output=end.columns)
        strategy = (operator.run or PythonRun()).strategy
        stamping = None
        if strategy is not None and strategy.kind != "none":
            stamping = (operator, self._timed(OperatorPart(role="watermarks"), strategy), "-time")
        return SourceEnd(
            operator=reads,
            parts=[(operator, OperatorPart(role=end.role, options={**end.options, "form": given_form(operator)}), "")],
            stamping=stamping,
            records=end.records,
            paths=end.paths,
        )

    def _timed(self, part: OperatorPart, strategy: Any) -> OperatorPart:
        """How a strategy says how far event time has come; a bounded run learns it from the end of the input."""
        if not self._streaming or strategy is None or strategy.kind == "none":
            return part
        return replace(part, options={**part.options, "delay": strategy.out_of_orderness}, idle=strategy.idleness)

    def parts(self, node: StreamNode, edges: Sequence[StreamEdge], *, columns: bool) -> OperatorParts:
        """The parts of a merged operator, of which the last converts."""
        operator = node.operator
        keyed = self._job.is_keyed(operator)
        selector = self._partition_key(operator)
        found: list[tuple[Operator, OperatorPart, str]] = []
        parts = operator.merged or (operator,)
        for at, one in enumerate(parts):
            made = part_of(one, keyed=keyed and at == 0, batch=self._batch, selector=selector)
            made = replace(made, inlined=inlined(made.function, made.role) if ROLES[made.role].one_expression else None)
            options = dict(made.options)
            if made.role == "co_process":
                options["paired"] = _paired(edges)
            if at == len(parts) - 1:
                options["tags"] = self._tags(operator)
                if operator.python is not None:
                    options["form"] = whole(given_form(one))
            made = replace(made, options=options)
            if made.role == "watermarks":
                made = self._timed(made, (one.run or PythonRun()).strategy)
            found.append((one, made, f"-{at}" if at else ""))
        return found

    def _tags(self, operator: Operator) -> dict[str, Any]:
        """The forms of an operator's side outputs that somebody reads."""
        mine = {one.id: one.tag for one in self._view.side_outputs(operator)}
        found: dict[str, Any] = {}
        for reader in self._job.operators:
            for read in reader.inputs:
                if read in mine:
                    run = (reader.merged or (reader,))[0].run or PythonRun()
                    found[mine[read]] = whole(form_of(run.record_type))
        return found

    def _partition_key(self, operator: Operator) -> Any:
        for one in self._job.transformations:
            if isinstance(one, Partition) and one.input == operator.id and one.partitioner == "CUSTOM":
                return one.key_selector.target if one.key_selector is not None else None
        return None

    def sink(self, node: StreamNode, edges: Sequence[StreamEdge], *, columns: bool) -> SinkEnd | None:
        """A sink, and what makes text, rows or messages of records."""
        operator = node.operator
        before = self._view.graph.by_id[edges[0].source].operator
        kind = (((before.merged or (before,))[-1]).run or PythonRun()).record_type
        end = write_end(operator, kind)
        if self._streaming and end.role == "avro_record":
            raise refused(operator, "writes files of Avro, which is not done in a stream", "write Parquet, or text")
        parts: list[tuple[Operator, OperatorPart, str]] = []
        if any(edge.partitioner == "HASH" for edge in edges):  # after key_by, whose type is a row of key and record
            parts.append((operator, OperatorPart(role="pair_row", options={"form": form_of(kind)}), "-pairs"))
        parts.append((operator, OperatorPart(role=end.role, options=dict(end.options)), ""))
        return SinkEnd(
            kind=end.kind,
            operator=operator if end.writer is None else replace(operator, behaviour=end.writer),
            parts=parts,
            columns=end.columns,
        )

    def routing(self, edge: StreamEdge, node: StreamNode, columns: str | None) -> Routing:
        """An operator upstream has made pairs of key and record; keyed operators take both."""
        keyed = node.operator.kind not in ("print", "sink") and self._job.is_keyed(node.operator)
        return Routing(
            key=Key(paired=True) if edge.partitioner in ("HASH", "CUSTOM") else None,
            custom=edge.partition.custom if edge.partitioner == "CUSTOM" and edge.partition is not None else None,
            pairs=keyed and edge.partitioner == "HASH",
        )

    def stamped_at(self, node: StreamNode) -> tuple[Operator, OperatorPart, str] | None:
        """Nothing: a script's windows take the time that records have."""
        return None

    def outputs(self, node: StreamNode) -> tuple[str | None, bool]:
        """No columns: records travel as they are."""
        return None, False


def _paired(edges: Sequence[StreamEdge]) -> Any:
    """Which of two inputs are keyed where not both are: PyFlink gives their records as rows of key and record."""
    keyed = tuple(max(0, edge.type_number - 1) for edge in edges if edge.partitioner == "HASH")
    return (Row, keyed) if keyed else None
