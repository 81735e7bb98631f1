"""The operators by the names that lowered operators use."""

from __future__ import annotations

from spark_runner.executor.async_calls import AsyncMap
from spark_runner.executor.formats.avro_files import AvroFile, AvroRecord
from spark_runner.executor.formats.columns import Columns, CsvFields, CsvLine, FileRow
from spark_runner.executor.formats.generated import Generated
from spark_runner.executor.formats.messages import Message, Received, TextLine, Topic
from spark_runner.executor.formats.texts import JavaText, PythonText
from spark_runner.executor.keyed import KeyedEach, KeyedProcess, KeyedValues, Reduce
from spark_runner.executor.operators import (
    CollectionSource,
    Filter,
    FlatMap,
    KeyOf,
    Map,
    Operator,
    PairRow,
    Process,
    Project,
    Sink,
    Times,
    Unchanged,
    ValueOf,
)
from spark_runner.executor.two_inputs import BroadcastProcess, CoProcess, KeyedBroadcastProcess, KeyedCoProcess
from spark_runner.executor.windows import PlainWindows, Windows

__all__ = ["OPERATORS"]

OPERATORS: dict[str, type[Operator]] = {
    "pass": Unchanged,
    "collection": CollectionSource,
    "map": Map,
    "flat_map": FlatMap,
    "filter": Filter,
    "process": Process,
    "async_map": AsyncMap,
    "watermarks": Times,
    "timestamps": Times,
    "sink": Sink,
    "key_of": KeyOf,
    "values": ValueOf,
    "pair_row": PairRow,
    "project": Project,
    "keyed_map": KeyedEach,
    "keyed_flat_map": KeyedEach,
    "keyed_filter": KeyedEach,
    "keyed_process": KeyedProcess,
    "keyed_values": KeyedValues,
    "reduce": Reduce,
    "window": PlainWindows,
    "triggered_window": Windows,
    "co_map": CoProcess,
    "co_flat_map": CoProcess,
    "co_process": CoProcess,
    "keyed_co_process": KeyedCoProcess,
    "broadcast_process": BroadcastProcess,
    "keyed_broadcast_process": KeyedBroadcastProcess,
    # what stands at the ends of a PyFlink script: messages, files, text
    "received": Received,
    "text_line": TextLine,
    "generated": Generated,
    "topic": Topic,
    "message": Message,
    "row": FileRow,
    "columns": Columns,
    "csv_fields": CsvFields,
    "csv_line": CsvLine,
    "avro_file": AvroFile,
    "avro_record": AvroRecord,
    "python_text": PythonText,
    "java_text": JavaText,
}
