"""Which Python functions of a job Spark computes by itself, and why the others stay in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.graphs.stream_graph import StreamNode
from planner.job import Collection, Operator, PythonFunction, Writer
from planner.job import Sequence as NumberSequence
from planner.kinds import KEEPS_COLUMNS
from spark_runner.executor.rows import fields_of, form_of
from spark_runner.lowering.ddl import declared_fields
from spark_runner.lowering.drafts import Drafts, Stream
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.operators import Lowered
from spark_runner.lowering.operators.sinks import PRINTING_FORMATS
from spark_runner.native.compilation import Column, NotNative, compile_function
from spark_runner.native.inlining import inlined
from spark_runner.program.native_function import NativeFunction

__all__ = ["NativePolicy", "Natives"]

_KINDS = frozenset({"map", "filter", "flat_map"})
_ROLES = _KINDS | {f"keyed_{kind}" for kind in _KINDS}
_VALUES = {"string": str, "boolean": bool, "double": float}


@dataclass(frozen=True, slots=True, kw_only=True)
class NativePolicy:
    """What a run allows: native functions at all, and files that are put in their place only when all went well."""

    wanted: bool = True
    writes_aside: bool = True  # Connect has no file system on this side


class Natives:
    """Asks for each Python operator of one job."""

    def __init__(self, view: JobView, drafts: Drafts, policy: NativePolicy) -> None:
        self._view, self._drafts, self._policy = view, drafts, policy
        self._no_second_try = _writes_at_once(view, policy)
        self.guarded = False

    def improved(self, node: StreamNode, lowered: Lowered) -> Lowered:
        """The lowering of an operator with a native function, or with the reason why it has none."""
        operator = self._view.operator(node)
        if lowered.engine != "python" or not isinstance(operator.behaviour, PythonFunction):
            return lowered
        try:
            native = self._native(node, operator, lowered)
        except NotNative as reason:
            body = inlined(operator.behaviour.target, operator.kind) if operator.kind in _KINDS else None
            return replace(lowered, why_python=str(reason), inlined=body)
        self.guarded |= native.guarded
        return Lowered(engine="native", native=native)

    def takes(self, node: StreamNode, source: Operator) -> bool:
        """Whether an operator runs natively on the records of a collection in front of it."""
        operator = self._view.operator(node)
        stamped = source.watermarks is not None and source.watermarks.assigner is not None
        if not self._policy.wanted or operator.kind not in _KINDS or stamped or not _exact(source):
            return False
        try:
            self._compiled(operator, _columns(source.output), trusted=True)
        except NotNative:
            return False
        return True

    def _native(self, node: StreamNode, operator: Operator, lowered: Lowered) -> NativeFunction:
        if not self._policy.wanted:
            raise NotNative("native functions are switched off")
        if operator.kind not in _KINDS or lowered.role not in _ROLES:
            raise NotNative(f"functions of a {operator.kind} always run there")
        if lowered.grouped:
            raise NotNative("it keeps state by key")
        edges = self._view.edges_into(node)
        streams = [self._drafts.stream(self._view.graph.edges[at]) for at in edges]
        if self._view.chained(self._view.step(node.id), edges) and self._drafts.engine(streams[0]) == "python":
            raise NotNative("it is chained to an operator that runs in Python")
        declared = {self._declared(stream) for stream in streams}
        if len(declared) > 1:
            raise NotNative("its inputs have different columns")
        trusted = all(map(self._was_read, streams))
        return self._compiled(operator, _columns(declared.pop()), trusted=trusted)

    def _compiled(self, operator: Operator, columns: Sequence[Column], *, trusted: bool) -> NativeFunction:
        assert isinstance(operator.behaviour, PythonFunction)
        output = columns if operator.kind in KEEPS_COLUMNS and operator.output is None else ()
        if not output:
            if operator.output is None:
                raise NotNative("its output type is not declared")
            output = _columns(operator.output)
        made = compile_function(
            operator.kind, operator.behaviour.target, columns, output, operator=operator.key, trusted=trusted
        )
        if made.guarded and self._no_second_try is not None:
            raise NotNative(
                f"a record might need Python after all, and {self._no_second_try!r} writes at once, so that the run"
                " could not begin again"
            )
        return made

    def _declared(self, stream: Stream) -> str:
        if stream.pickled:
            raise NotNative("the records in front of it have no declared columns")
        if stream.columns is not None:
            return stream.columns
        if isinstance(self._behaviour(stream), NumberSequence):
            return "value bigint"
        raise NotNative("the columns in front of it are not declared")

    def _was_read(self, stream: Stream) -> bool:
        """Whether Python, or a native function in its place, has had these records already."""
        if self._drafts.engine(stream) == "python":
            return True
        draft = self._drafts.passes[stream.source]
        if stream.operation is not None:
            made_by = draft.operations[stream.operation]
            return made_by.native is not None or isinstance(made_by.operator.behaviour, Collection | NumberSequence)
        return False

    def _behaviour(self, stream: Stream) -> object:
        operations = self._drafts.passes[stream.source].operations
        return None if stream.operation is None else operations[stream.operation].operator.behaviour


def _columns(ddl: str | None) -> tuple[Column, ...]:
    if ddl is None:
        raise NotNative("its output type is not declared")
    return tuple(Column(name=name, type=kind) for name, kind in declared_fields(ddl))


def _writes_at_once(view: JobView, policy: NativePolicy) -> str | None:
    """A sink whose records cannot be taken back, so that a run with it cannot begin again."""
    for operator in view.job.operators:
        behaviour = operator.behaviour
        if operator.kind != "sink" or (isinstance(behaviour, Writer) and _harmless(behaviour, policy)):
            continue
        return operator.key
    return None


def _harmless(writer: Writer, policy: NativePolicy) -> bool:
    if writer.format.lower() in PRINTING_FORMATS | {"noop"}:
        return True
    return writer.path is not None and policy.writes_aside


def _exact(source: Operator) -> bool:
    """Whether every value of a collection has the very type that Spark would give it: 1 is not 1.0."""
    if not isinstance(source.behaviour, Collection) or source.output is None:
        return False
    columns = _columns(source.output)
    names = [column.name for column in columns]
    try:
        kinds = [column.kind for column in columns]
    except NotNative:
        return False
    whole = form_of(names) == "value"
    for record in source.behaviour.records:
        fields = [record] if whole else fields_of(record, names)
        if len(fields) != len(kinds):
            return False
        for value, kind in zip(fields, kinds, strict=True):
            wanted = int if kind in ("tinyint", "smallint", "int", "bigint") else _VALUES.get(kind)
            if value is not None and type(value) is not wanted:
                return False
    return True
