"""Sources and sinks of PyFlink jobs: which of them run on Spark, and as what."""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.recorded import Recorded
from planner.job import Collection, Operator, PythonRun, Reader, Sequence
from spark_runner.pyflink.forms import as_rows, is_pickled
from spark_runner.pyflink.parts import refused
from spark_runner.pyflink.program import BoundedSink, BoundedSource

__all__ = ["sink_of", "source_of"]


def source_of(operator: Operator, vertex: int) -> BoundedSource:
    """A source that ends."""
    behaviour = operator.behaviour
    if isinstance(behaviour, Collection):
        kind = (operator.run or PythonRun()).record_type
        return BoundedSource(
            vertex=vertex, operator=operator, records=[as_rows(kind, one) for one in behaviour.records]
        )
    if isinstance(behaviour, Sequence):
        return BoundedSource(vertex=vertex, operator=operator, records=range(behaviour.start, behaviour.end + 1))
    if isinstance(behaviour, Reader) and behaviour.format == "text":
        return BoundedSource(vertex=vertex, operator=operator, paths=_paths(operator))
    raise refused(
        operator, "is a source that Spark does not read for a PyFlink job",
        "from_collection, NumberSequenceSource and FileSource of text lines run",
    )  # fmt: skip


def _paths(operator: Operator) -> tuple[str, ...]:
    connector = (operator.run or PythonRun()).connector
    made = connector._calls[0] if isinstance(connector, Recorded) and connector._calls else None
    format_ = made.first() if made is not None else None
    names = [call.name for call in format_._calls] if isinstance(format_, Recorded) else []
    if made is None or "StreamFormat.text_line_format" not in names:
        raise refused(
            operator, "reads files in a format that does not run on Spark", "StreamFormat.text_line_format() does"
        )
    given = dict(made.arguments).get("paths", ())
    return tuple(str(path) for path in (given if isinstance(given, tuple | list) else (given,)))


def sink_of(operator: Operator, kind: Any, *, pairs: bool, **place: Any) -> BoundedSink:
    """A sink of text, of printed records, or of records for the script itself."""
    if pairs:
        raise refused(
            operator, "stands right behind key_by, where PyFlink gives pairs of key and record",
            "put a map in front of it",
        )  # fmt: skip
    if operator.helper == "collect":
        return BoundedSink(kind="collect", operator=operator, **place)
    if operator.kind == "print":
        return BoundedSink(
            kind="print", operator=operator, identifier=(operator.run or PythonRun()).identifier, **place
        )
    connector = (operator.run or PythonRun()).connector
    path = _text_path(connector)
    if path is None:
        raise refused(
            operator, "is a sink that does not run on Spark",
            "print, execute_and_collect and FileSink.for_row_format with a simple string encoder do",
        )  # fmt: skip
    if is_pickled(kind):
        raise refused(
            operator, "writes text of pickled records, of which Java sees only bytes",
            "give the operator in front of it an output_type, for example Types.STRING()",
        )  # fmt: skip
    return BoundedSink(kind="text", operator=operator, path=path, **place)


def _text_path(connector: Any) -> str | None:
    """The folder of a FileSink that writes one line of text for each record."""
    if not isinstance(connector, Recorded) or type(connector).__name__ != "FileSink":
        return None
    given = dict(connector._calls[0].arguments)
    encoder = given.get("encoder")
    simple = isinstance(encoder, Recorded) and any("simple_string_encoder" in call.name for call in encoder._calls)
    return str(given["base_path"]) if simple else None
