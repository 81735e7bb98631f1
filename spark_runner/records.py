"""Records and their columns: what a user function gets and gives, against what Spark stores.

One column `value` is a plain value, `f0, f1, ...` is a tuple, anything else a row that is read by name and by position.
A stream whose records have no declared columns travels pickled. Runs on executors: standard library and pyarrow only.
"""

from __future__ import annotations

import datetime
import decimal
import functools
import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa

from spark_runner.rows import form_of, row_class


class UnfitRecord(Exception):
    """A record that does not fit its declared columns."""

    def __init__(self, record: object, reason: str) -> None:
        super().__init__(reason)
        self.record = record


# --- from columns to records ----------------------------------------------------------------------------------------


def decode(columns: Sequence[pa.Array], names: Sequence[str]) -> list[Any]:
    """The records of a batch's columns."""
    form = form_of(names)
    if form == "pickled":
        return [None if one is None else pickle.loads(one) for one in columns[0].to_pylist()]
    if form == "value":
        return values_of(columns[0])
    lists = [values_of(column) for column in columns]
    if form == "tuple":
        return list(zip(*lists, strict=True))
    return list(map(functools.partial(tuple.__new__, row_class(tuple(names))), zip(*lists, strict=True)))


def values_of(column: pa.Array) -> list[Any]:
    """A column's values as Python objects: naive UTC times, tuples or rows for structs, dicts for maps."""
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return column.cast(pa.timestamp("us")).to_pylist()
    convert = _nested(kind)
    values = column.to_pylist()
    return values if convert is None else [None if value is None else convert(value) for value in values]


def _nested(kind: pa.DataType) -> Callable[[Any], Any] | None:
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return lambda value: value.astimezone(datetime.UTC).replace(tzinfo=None)
    if pa.types.is_struct(kind):
        names = tuple(kind.field(n).name for n in range(kind.num_fields))
        inner = [_nested(kind.field(n).type) or _same for n in range(kind.num_fields)]
        make = tuple if form_of(names) == "tuple" else functools.partial(tuple.__new__, row_class(names))
        return lambda value: make([_some(f, value[name]) for f, name in zip(inner, names, strict=True)])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        item = _nested(kind.value_type)
        return None if item is None else lambda value: [_some(item, one) for one in value]
    if pa.types.is_map(kind):
        key, item = _nested(kind.key_type) or _same, _nested(kind.item_type) or _same
        return lambda value: {key(k): _some(item, v) for k, v in value}
    return None


def _same(value: Any) -> Any:
    return value


def _some(convert: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else convert(value)


# --- from records to columns ----------------------------------------------------------------------------------------


def encode(records: Sequence[Any], schema: pa.Schema) -> list[pa.Array]:
    """The columns of these records. Raises UnfitRecord with the first record that does not fit."""
    form = form_of(schema.names)
    try:
        if form == "pickled":
            return [pa.array(list(map(pickled, records)), pa.binary())]
        if form == "value":
            return [_column(records, schema.field(0))]
        return [_column(column, field) for column, field in zip(_transposed(records, schema), schema, strict=True)]
    except (pa.ArrowException, TypeError, ValueError, OverflowError, _Unfit) as error:
        if len(records) == 1:
            raise UnfitRecord(records[0], f"{error} (declared: {declared(schema)})") from None
        middle = len(records) // 2
        encode(records[:middle], schema)
        encode(records[middle:], schema)
        raise  # neither half fails alone: not the records' fault


def declared(schema: pa.Schema) -> str:
    """A schema in one line, for messages."""
    return ", ".join(f"{field.name} {field.type}" for field in schema if not field.name.startswith("__"))


def pickled(record: Any) -> bytes:
    """A record without declared columns as bytes; classes of the job's own file go by value where they must."""
    try:
        return pickle.dumps(record, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError):
        from pyspark import cloudpickle

        return cloudpickle.dumps(record, protocol=5)


class _Unfit(Exception):
    pass


def _transposed(records: Sequence[Any], schema: pa.Schema) -> Iterable[Sequence[Any]]:
    width = len(schema)
    if not records:
        return [()] * width
    for kind in set(map(type, records)):
        if not issubclass(kind, tuple | list):
            records = [_positional(record, schema.names) for record in records]
            break
    lengths = set(map(len, records))
    if lengths != {width}:
        raise _Unfit(f"it has {next(iter(lengths - {width}))} fields where {width} are declared")
    return zip(*records, strict=True)


def _positional(record: Any, names: Sequence[str]) -> Sequence[Any]:
    if isinstance(record, tuple | list):
        return record
    if isinstance(record, dict):
        if set(record) != set(names):
            raise _Unfit(f"its keys are {sorted(map(str, record))}")
        return [record[name] for name in names]
    values = getattr(record, "_values", None)
    if values is not None:
        fields = list(getattr(record, "_names", ()) or ())
        return [values[fields.index(name)] for name in names] if set(fields) == set(names) else list(values)
    raise _Unfit(f"a {type(record).__name__} is not a record of {len(names)} fields")


_STRICT: tuple[tuple[Callable[[pa.DataType], bool], tuple[type, ...]], ...] = (
    # pyarrow would cut 1.5 to 1, read bytes as text and a number as a point in time
    (pa.types.is_integer, (float, decimal.Decimal)),
    (pa.types.is_string, (bytes, bytearray)),
    (pa.types.is_binary, (str,)),
    (pa.types.is_timestamp, (int, float)),
    (pa.types.is_date, (int, float)),
)


@functools.lru_cache(maxsize=256)
def _refused(kind: pa.DataType) -> tuple[type, ...]:
    return next((types for test, types in _STRICT if test(kind)), ())


def _column(values: Sequence[Any], field: pa.Field) -> pa.Array:
    refused = _refused(field.type)
    if refused:
        for kind in set(map(type, values)):
            if issubclass(kind, refused) and kind is not bool:
                raise _Unfit(f"a {kind.__name__} is not a {field.type} (column {field.name})")
    try:
        return pa.array(values, field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise _Unfit(f"{error} (column {field.name})") from None
