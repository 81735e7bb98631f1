"""`pyflink.common.serialization` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "BulkWriterFactory",
    "ByteArraySchema",
    "DeserializationSchema",
    "Encoder",
    "RowDataBulkWriterFactory",
    "RowFieldExtractorSchema",
    "SerializationSchema",
    "SimpleStringSchema",
]


class SerializationSchema(Recorded):
    def __init__(self) -> None: ...


class DeserializationSchema(Recorded):
    def __init__(self) -> None: ...


class SimpleStringSchema(SerializationSchema, DeserializationSchema):
    def __init__(self, charset: Any = "UTF-8") -> None: ...


class ByteArraySchema(SerializationSchema, DeserializationSchema):
    def __init__(self) -> None: ...


class Encoder(Recorded):
    def __init__(self) -> None: ...
    @staticmethod
    def simple_string_encoder(charset_name: Any = "UTF-8") -> Encoder: ...


class BulkWriterFactory(Recorded):
    def __init__(self) -> None: ...


class RowDataBulkWriterFactory(BulkWriterFactory):
    def __init__(self, row_type: Any) -> None: ...
    def get_row_type(self) -> Any: ...


class RowFieldExtractorSchema(SerializationSchema):
    def __init__(self, field_index: Any) -> None: ...
