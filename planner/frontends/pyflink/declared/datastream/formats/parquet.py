"""`pyflink.datastream.formats.parquet` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.declared.common.serialization import BulkWriterFactory
from planner.frontends.pyflink.declared.datastream.connectors.file_system import BulkFormat, StreamFormat
from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "AvroParquetReaders",
    "AvroParquetWriters",
    "ParquetBulkWriters",
    "ParquetColumnarRowInputFormat",
]


class AvroParquetReaders(Recorded):
    @staticmethod
    def for_generic_record(schema: Any) -> StreamFormat: ...


class AvroParquetWriters(Recorded):
    @staticmethod
    def for_generic_record(schema: Any) -> BulkWriterFactory: ...


class ParquetColumnarRowInputFormat(BulkFormat):
    def __init__(
        self,
        row_type: Any,
        hadoop_config: Any = None,
        batch_size: Any = 2048,
        is_utc_timestamp: Any = False,
        is_case_sensitive: Any = True,
    ) -> None: ...


class ParquetBulkWriters(Recorded):
    @staticmethod
    def for_row_type(row_type: Any, hadoop_config: Any = None, utc_timestamp: Any = False) -> BulkWriterFactory: ...
