"""PyFlink's serialization schemas as the plain descriptions that workers read and write bytes by."""

from __future__ import annotations

import json
from typing import Any

from planner.frontends.python.declared.connectors import (
    ByteArraySchema,
    RowFieldExtractorSchema,
    SimpleStringSchema,
)
from planner.frontends.python.declared.files import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    CsvRowDeserializationSchema,
    CsvRowSerializationSchema,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
)
from planner.frontends.python.recorded import Recorded
from planner.frontends.python.values.rows import Row
from planner.job import Operator
from spark_runner.lowering.scripts.forms import form_of
from spark_runner.lowering.scripts.parts import refused

__all__ = ["reading_schema", "writing_schema"]

Schema = tuple[Any, ...]
_READS = "SimpleStringSchema, ByteArraySchema and the row schemas of JSON, CSV and Avro run"
_CSV = {
    "set_field_delimiter": "delimiter", "set_array_element_delimiter": "elements", "set_quote_character": "quote",
    "set_escape_character": "escape", "set_null_literal": "null", "set_line_delimiter": "line",
    "set_allow_comments": "comments", "set_ignore_parse_errors": "lenient",
}  # fmt: skip


def reading_schema(operator: Operator, schema: Any) -> Schema:
    """How the bytes of a message become a record."""
    found = _plain(schema)
    if found is not None:
        return found
    if isinstance(schema, JsonRowDeserializationSchema):
        options = {
            "strict": schema.last("fail_on_missing_field") is not None,
            "lenient": schema.last("ignore_parse_errors") is not None,
        }
        return ("json", _type(operator, schema, "type_info"), options)
    if isinstance(schema, CsvRowDeserializationSchema):
        return ("csv", _type(operator, schema, "Builder"), _csv(schema))
    if isinstance(schema, AvroRowDeserializationSchema):
        return ("avro", _avro(operator, schema), Row)
    raise refused(operator, "reads messages by a schema that does not run on Spark", _READS)


def writing_schema(operator: Operator, schema: Any) -> Schema:
    """How a record becomes the bytes of a message."""
    found = _plain(schema)
    if found is not None:
        return found
    if isinstance(schema, JsonRowSerializationSchema):
        return ("json", _type(operator, schema, "with_type_info"), {})
    if isinstance(schema, CsvRowSerializationSchema):
        return ("csv", _type(operator, schema, "Builder"), _csv(schema))
    if isinstance(schema, AvroRowSerializationSchema):
        return ("avro", _avro(operator, schema))
    if isinstance(schema, RowFieldExtractorSchema):
        return ("field", int(schema._calls[0].first()))
    raise refused(operator, "writes messages by a schema that does not run on Spark", _READS)


def _plain(schema: Any) -> Schema | None:
    if isinstance(schema, SimpleStringSchema):
        return ("string", str(schema._calls[0].first() or "UTF-8"))
    return ("bytes",) if isinstance(schema, ByteArraySchema) else None


def _type(operator: Operator, schema: Recorded, call: str) -> tuple[Any, ...]:
    made = schema.last(call)
    form = form_of(made.first()) if made is not None else ("any",)
    if form[0] != "row":
        raise refused(operator, "has a schema without the type of its rows", "give it Types.ROW_NAMED([...], [...])")
    return form


def _csv(schema: Recorded) -> dict[str, Any]:
    found = {_CSV[call.name]: call.first() for call in schema._calls if call.name in _CSV}
    if schema.last("disable_quote_character") is not None:
        found["quote"] = None
    return found


def _avro(operator: Operator, schema: Recorded) -> Any:
    given = dict(schema._calls[0].arguments)
    if not given.get("avro_schema_string"):
        raise refused(operator, "names a Java class for Avro", "give it avro_schema_string")
    return json.loads(given["avro_schema_string"])
