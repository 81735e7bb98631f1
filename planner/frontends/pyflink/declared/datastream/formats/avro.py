"""`pyflink.datastream.formats.avro` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.declared.common.io import InputFormat
from planner.frontends.pyflink.declared.common.serialization import (
    BulkWriterFactory,
    DeserializationSchema,
    SerializationSchema,
)
from planner.frontends.pyflink.recorded import Recorded
from planner.frontends.pyflink.values.types import ResultTypeQueryable, TypeInformation

__all__ = [
    "AvroBulkWriters",
    "AvroInputFormat",
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "AvroSchema",
    "GenericRecordAvroTypeInfo",
]


class AvroSchema(Recorded):
    def __init__(self) -> None: ...
    @staticmethod
    def parse_string(json_schema: Any) -> AvroSchema: ...
    @staticmethod
    def parse_file(file_path: Any) -> AvroSchema: ...


class GenericRecordAvroTypeInfo(TypeInformation):
    def __init__(self, schema: Any) -> None: ...
    def get_java_type_info(self) -> Any: ...


class AvroInputFormat(InputFormat, ResultTypeQueryable):
    def __init__(self, path: Any, schema: Any) -> None: ...
    def get_produced_type(self) -> GenericRecordAvroTypeInfo: ...


class AvroBulkWriters(Recorded):
    @staticmethod
    def for_generic_record(schema: Any) -> BulkWriterFactory: ...


class AvroRowDeserializationSchema(DeserializationSchema):
    def __init__(self, record_class: Any = None, avro_schema_string: Any = None) -> None: ...


class AvroRowSerializationSchema(SerializationSchema):
    def __init__(self, record_class: Any = None, avro_schema_string: Any = None) -> None: ...
