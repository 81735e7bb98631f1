"""PyFlink's operators by the names that lowered operators use."""

from __future__ import annotations

from spark_runner.executor.pyflink.async_calls import AsyncWait
from spark_runner.executor.pyflink.avro_files import AvroFile, AvroRecord
from spark_runner.executor.pyflink.columns import Columns, CsvFields, CsvLine, FileRow
from spark_runner.executor.pyflink.keyed import (
    KeyedFilter,
    KeyedFlatMap,
    KeyedMap,
    KeyedProcess,
    KeyedValues,
    Reduce,
)
from spark_runner.executor.pyflink.messages import Message, Received, TextLine, Topic
from spark_runner.executor.pyflink.operators import (
    Filter,
    FlatMap,
    JavaText,
    KeyOf,
    Map,
    PairRow,
    Pass,
    Process,
    Project,
    PythonText,
    Timestamps,
    Values,
    Watermarks,
)
from spark_runner.executor.pyflink.two_inputs import (
    BroadcastProcess,
    CoProcess,
    KeyedBroadcastProcess,
    KeyedCoProcess,
)
from spark_runner.executor.pyflink.windows import Windows
from spark_runner.executor.streaming.operators import StreamOperator

__all__ = ["OPERATORS"]

OPERATORS: dict[str, type[StreamOperator]] = {
    "pass": Pass,
    "map": Map,
    "flat_map": FlatMap,
    "filter": Filter,
    "process": Process,
    "async_map": AsyncWait,
    "key_of": KeyOf,
    "values": Values,
    "pair_row": PairRow,
    "timestamps": Timestamps,
    "watermarks": Watermarks,
    "project": Project,
    "python_text": PythonText,
    "java_text": JavaText,
    "received": Received,
    "text_line": TextLine,
    "topic": Topic,
    "row": FileRow,
    "avro_file": AvroFile,
    "avro_record": AvroRecord,
    "columns": Columns,
    "csv_fields": CsvFields,
    "csv_line": CsvLine,
    "message": Message,
    "keyed_map": KeyedMap,
    "keyed_flat_map": KeyedFlatMap,
    "keyed_filter": KeyedFilter,
    "keyed_process": KeyedProcess,
    "keyed_values": KeyedValues,
    "reduce": Reduce,
    "window": Windows,
    "co_process": CoProcess,
    "keyed_co_process": KeyedCoProcess,
    "broadcast_process": BroadcastProcess,
    "keyed_broadcast_process": KeyedBroadcastProcess,
}
