"""The operators of our own API, and of YAML: what each is when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.errors import UnsupportedOnSpark
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Aggregate, Collection, Explode, Join, Operator, Select, Watermarks, Where, Window, Writer
from planner.job import Sequence as NumberSequence
from planner.kinds import KEEPS_COLUMNS
from spark_runner.lowering.inlining import inlined
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.operator_parts import OperatorPart, OperatorParts, Routing, SinkEnd, SourceEnd, not_in_chunks
from spark_runner.lowering.operators import LOWERINGS, PRINTING_FORMATS, Lowered, Situation
from spark_runner.program.program import Engine, Mode
from spark_runner.program.roles import ROLES
from spark_runner.program.worker_parts import worker_part

__all__ = ["OwnOperators"]


class OwnOperators:
    """One part per operator; records have their declared types on every edge."""

    script = False

    def __init__(self, view: JobView, mode: Mode) -> None:
        self._view, self._functions = view, view.functions
        operators = (self.operator(node) for node in view.graph.nodes)
        # a batch whose records travel in chunks: no column says what these operators need
        self.ends_in_chunks = mode == "batch" and any(map(_needs_chunks, operators))

    def operator(self, node: StreamNode) -> Operator:
        """A node's operator, with its functions loaded."""
        return self._view.operator(node)

    def source(self, node: StreamNode) -> SourceEnd:
        """A reader of Spark, whose columns its frame has, or records of the job's own."""
        operator = self.operator(node)
        self.lowered(node, columns=True)
        fed = isinstance(operator.behaviour, Collection | NumberSequence)
        return SourceEnd(
            operator=operator, columns=operator.output if fed else None, read=not fed, stamping=self.strategy(operator)
        )

    def strategy(self, operator: Operator) -> tuple[Operator, OperatorPart, str] | None:
        """A source's own event-time strategy as an operator."""
        strategy = operator.watermarks
        if strategy is None:
            return None
        if strategy.assigner is not None:
            strategy = replace(strategy, assigner=self._functions.loaded(strategy.assigner, operator))
        return self._stamping(replace(operator, kind="watermarks", behaviour=strategy, watermarks=None))

    def parts(self, node: StreamNode, edges: Sequence[StreamEdge], *, columns: bool) -> OperatorParts:
        """The operator itself, or nothing where SQL does it."""
        operator = self.operator(node)
        role = self._role(operator, self.lowered(node, columns=columns).role)
        if isinstance(operator.behaviour, Where | Select | Explode):
            return ()
        if isinstance(operator.behaviour, Join):
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} is a SQL join, which {not_in_chunks(self.ends_in_chunks)}",
                location=operator.location,
                hint="write it as a keyed co_process with state",
            )
        return [(operator, self.part(operator, role), "")]

    def part(self, operator: Operator, role: str) -> OperatorPart:
        """An operator as workers run it in a role."""
        function, options = worker_part(operator)
        made = OperatorPart(
            role=role,
            function=function,
            options=options,
            keyed=ROLES[role].keyed,
            idle=operator.behaviour.idleness if isinstance(operator.behaviour, Watermarks) else None,
            inlined=inlined(function, operator.kind) if ROLES[role].one_expression else None,
        )
        if not self.ends_in_chunks:
            return made
        # event time comes with the end of the input, and then keyed operators go key by key
        kept = {name: value for name, value in options.items() if name != "delay"}
        return replace(made, options={**kept, "batch": True}, idle=None)

    def lowered(
        self,
        node: StreamNode,
        *,
        columns: bool,
        before: Engine | None = None,
        python_follows: bool = True,
    ) -> Lowered:
        """How an operator runs where it stands, or why it cannot."""
        operator = self.operator(node)
        setting = Situation(
            operator=operator,
            keyed=self._view.job.is_keyed(node.operator),
            pickled=not columns,
            before=before,
            python_follows=python_follows,
        )
        return LOWERINGS[operator.kind](setting)

    def _role(self, operator: Operator, lowered: str) -> str:
        behaviour = operator.behaviour
        if isinstance(behaviour, Aggregate):
            return "reduce"
        if isinstance(behaviour, Window) and not behaviour.is_plain:
            return "triggered_window"
        if _broadcasts(operator):
            keyed = self._functions.key(operator, 0) is not None
            return "keyed_broadcast_process" if keyed else "broadcast_process"
        return lowered or "watermarks"

    def sink(self, node: StreamNode, edges: Sequence[StreamEdge], *, columns: bool) -> SinkEnd | None:
        """A writer of Spark or the driver's standard output; a function runs as any other."""
        operator = self.operator(node)
        self.lowered(node, columns=columns)
        writer = operator.behaviour
        if operator.kind != "print" and not isinstance(writer, Writer):
            return None
        prints = not isinstance(writer, Writer) or writer.format.lower() in PRINTING_FORMATS
        return SinkEnd(kind="print" if prints else "write", operator=operator)

    def routing(self, edge: StreamEdge, node: StreamNode, columns: str | None) -> Routing:
        """The key of the input, or what a partitioner of the job's own is given."""
        operator = self.operator(node)
        if edge.partitioner == "CUSTOM" and edge.partition is not None:
            custom = self._functions.partitioner(edge.partition, operator)
            return Routing(key=self._functions.key_of(edge.partition, operator, columns), custom=custom)
        return Routing(key=self._functions.key(operator, max(0, edge.type_number - 1), columns))

    def stamped_at(self, node: StreamNode) -> tuple[Operator, OperatorPart, str] | None:
        """A window that names its time column."""
        operator = self.operator(node)
        window = operator.behaviour
        if not isinstance(window, Window) or window.time is None:
            return None
        strategy = Watermarks(time=window.time, out_of_orderness=window.watermark)
        return self._stamping(replace(operator, kind="watermarks", behaviour=strategy, watermarks=None, output=None))

    def _stamping(self, operator: Operator) -> tuple[Operator, OperatorPart, str]:
        return operator, self.part(operator, "watermarks"), "-time"

    def outputs(self, node: StreamNode) -> tuple[str | None, bool]:
        """The declared columns; aggregates and windows that reduce keep those of their input."""
        operator = self.operator(node)
        reduces = isinstance(operator.behaviour, Window) and operator.behaviour.form == "reduce"
        return operator.output, operator.kind in KEEPS_COLUMNS or reduces


def _needs_chunks(operator: Operator) -> bool:
    """Whether an operator sees more of a stream than the records of one key after the other."""
    window = operator.behaviour
    return (isinstance(window, Window) and not window.is_plain) or _broadcasts(operator)


def _broadcasts(operator: Operator) -> bool:
    target = getattr(operator.behaviour, "target", None)
    return operator.kind == "co_process" and hasattr(target, "process_broadcast_element")
