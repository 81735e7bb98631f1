"""Files with columns: what PyFlink's formats of CSV, Parquet and ORC are on Spark."""

from __future__ import annotations

from typing import Any

from planner.frontends.python.recorded import Recorded
from planner.frontends.python.values.rows import Row
from planner.job import Operator
from spark_runner.lowering.scripts.parts import refused

__all__ = ["CsvColumns", "csv_columns", "row_columns"]

Fields = list[tuple[str, str, tuple[Any, ...]]]  # name, DDL, form
CsvColumns = tuple[
    tuple[Any, ...], dict[str, Any], bool
]  # the form of rows, options of csv_rows, whether a header is there
_PLAIN: dict[str, tuple[str, tuple[Any, ...]]] = {
    "STRING": ("STRING", ("str",)), "CHAR": ("STRING", ("str",)), "VARCHAR": ("STRING", ("str",)),
    "BOOLEAN": ("BOOLEAN", ("bool",)), "TINYINT": ("TINYINT", ("int", 8)), "SMALLINT": ("SMALLINT", ("int", 16)),
    "INT": ("INT", ("int", 32)), "BIGINT": ("BIGINT", ("int", 64)), "FLOAT": ("FLOAT", ("float",)),
    "DOUBLE": ("DOUBLE", ("double",)), "DATE": ("DATE", ("date",)), "BYTES": ("BINARY", ("bytes",)),
    "BINARY": ("BINARY", ("bytes",)), "VARBINARY": ("BINARY", ("bytes",)),
    "TIMESTAMP": ("TIMESTAMP_NTZ", ("timestamp",)), "TIMESTAMP_LTZ": ("TIMESTAMP", ("timestamp",)),
}  # fmt: skip
_CSV_OPTIONS = {
    "set_column_separator": "delimiter", "set_array_element_separator": "elements", "set_quote_char": "quote",
    "set_escape_char": "escape", "set_null_value": "null",
}  # fmt: skip


def row_columns(operator: Operator, row_type: Any) -> tuple[str, tuple[Any, ...]]:
    """The DDL and the form of `DataTypes.ROW([...])`."""
    fields = _fields(operator, row_type)
    ddl = ", ".join(f"`{name}` {kind}" for name, kind, _ in fields)
    return ddl, ("row", Row, tuple(name for name, _, _ in fields), tuple(form for _, _, form in fields))


def _fields(operator: Operator, row_type: Any) -> Fields:
    found = []
    for at, field in enumerate(row_type.arguments[0]):
        named = getattr(field, "name", "") == "FIELD"
        name, kind = field.arguments[:2] if named else (f"f{at}", field)
        found.append((str(name), *_type(operator, kind)))
    return found


def _type(operator: Operator, kind: Any) -> tuple[str, tuple[Any, ...]]:
    name = getattr(kind, "name", str(kind))
    if name in _PLAIN:
        return _PLAIN[name]
    if name in ("DECIMAL", "NUMERIC"):
        precision, scale = (*kind.arguments, 0)[:2] if kind.arguments else (10, 0)
        return f"DECIMAL({precision},{scale})", ("decimal",)
    if name == "ARRAY":
        ddl, form = _type(operator, kind.arguments[0])
        return f"ARRAY<{ddl}>", ("list", form)
    if name == "MAP":
        (key, key_form), (value, value_form) = (_type(operator, one) for one in kind.arguments[:2])
        return f"MAP<{key},{value}>", ("map", key_form, value_form)
    if name == "ROW":
        fields = _fields(operator, kind)
        names, forms = tuple(one for one, _, _ in fields), tuple(form for _, _, form in fields)
        return f"STRUCT<{', '.join(f'`{one}`: {ddl}' for one, ddl, _ in fields)}>", ("row", Row, names, forms)
    raise refused(operator, f"has a column of type {kind}, which does not run on Spark", "leave that column out")


def csv_columns(operator: Operator, schema: Any) -> CsvColumns:
    """What a CsvSchema says."""
    names, forms, options, header = [], [], {}, False
    for call in schema._calls if isinstance(schema, Recorded) else ():
        given = dict(call.arguments)
        if call.name in ("add_string_column", "add_boolean_column", "add_number_column", "add_array_column"):
            names.append(str(given["name"]))
            forms.append(_csv_form(operator, call.name, given))
        elif call.name in _CSV_OPTIONS:
            options[_CSV_OPTIONS[call.name]] = call.first()
        elif call.name == "disable_quote_char":
            options["quote"] = None
        elif call.name in ("set_use_header", "set_skip_first_data_row"):
            header = given.get("use", given.get("skip", True)) is not False
        elif call.name in ("set_line_separator", "set_any_property_name", "add_columns_from", "set_allow_comments"):
            raise refused(operator, f"has a CSV schema with {call.name}, which does not run on Spark", "leave it out")
    return ("row", Row, tuple(names), tuple(forms)), options, header


def _csv_form(operator: Operator, call: str, given: dict[str, Any]) -> tuple[Any, ...]:
    if call == "add_string_column":
        return ("str",)
    if call == "add_boolean_column":
        return ("bool",)
    kind = given.get("number_type" if call == "add_number_column" else "element_type")
    form = _type(operator, kind)[1] if kind is not None else (("int", 64) if call == "add_number_column" else ("str",))
    return form if call == "add_number_column" else ("list", form)
