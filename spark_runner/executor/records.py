"""Records and their columns: what a user function gets and gives, against what Spark stores.

One column `value` is a plain value, `f0, f1, ...` is a tuple, anything else a row that is read by name and by position.
A stream whose records have no declared columns travels pickled. Runs on executors: standard library and pyarrow only.
"""

from __future__ import annotations

import datetime
import functools
import operator
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from spark_runner.executor.nested_values import Unfit, outgoing, positional, refused_types
from spark_runner.executor.rows import NamedRow, form_of, row_class


class UnfitRecord(Exception):
    """A record that does not fit its declared columns."""

    def __init__(self, record: object, reason: str) -> None:
        super().__init__(reason)
        self.record = record


# --- from columns to records ----------------------------------------------------------------------------------------


def decode(columns: Sequence[pa.Array], names: Sequence[str], count: int = 0) -> list[Any]:
    """The records of a batch's columns. One that nobody reads may be None: `count` is the number of records."""
    form = form_of(names)
    if form == "pickled":
        return [None if one is None else pickle.loads(one) for one in columns[0].to_pylist()]
    if form == "value":
        return values_of(columns[0])
    lists = [[None] * count if column is None else values_of(column) for column in columns]
    records = zip(*lists, strict=True)
    return list(records if form == "tuple" else map(_made_of(names), records))


def _made_of(names: Sequence[str]) -> Callable[[Any], Any]:
    return functools.partial(tuple.__new__, row_class(tuple(names)))


class Columns:
    """The records of a batch, of which only those columns become Python values that somebody reads."""

    def __init__(self, columns: Sequence[pa.Array], names: tuple[str, ...], count: int) -> None:
        self.names, self._columns, self._count = names, columns, count
        self.looked_at: tuple[Any, int] | None = None  # a single record, and its number
        self.made: list[Any] = []  # the records, once somebody needs them

    def __len__(self) -> int:
        return self._count

    def column(self, at: int) -> list[Any]:
        """The values of one column."""
        column = self._columns[at]
        return [None] * self._count if column is None else values_of(column)

    def records(self) -> list[Any]:
        """All records."""
        self.made = decode(self._columns, self.names, self._count)
        return self.made

    def record(self, at: int) -> Any:
        """One record."""
        found = decode([None if one is None else one.slice(at, 1) for one in self._columns], self.names, 1)[0]
        self.looked_at = found, at
        return found


def values_of(column: pa.Array) -> list[Any]:
    """A column's values as Python objects: naive UTC times, tuples or rows for structs, dicts for maps."""
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return list(column.cast(pa.timestamp("us")).to_pylist())
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
        inside = _nested(kind.value_type)
        return None if inside is None else lambda value: [_some(inside, one) for one in value]
    if pa.types.is_map(kind):
        key, item = _nested(kind.key_type) or _same, _nested(kind.item_type) or _same
        return lambda value: {key(k): _some(item, v) for k, v in value}
    return None


def _same(value: Any) -> Any:
    return value


def _some(convert: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else convert(value)


def shaped(names: Sequence[str]) -> Callable[[Any], Any]:
    """What gives a record the form of its declared columns: a tuple or a row, whatever a function made of it."""
    form = form_of(names)
    if form in ("value", "pickled"):
        return _same
    row = tuple if form == "tuple" else row_class(tuple(names))

    def ready(record: Any) -> Any:
        kind = record.__class__
        if kind is row:
            return record
        return tuple.__new__(row, record if kind is tuple else positional(record, names))

    return ready


# --- from records to columns ----------------------------------------------------------------------------------------


def encode(records: Sequence[Any], schema: pa.Schema) -> list[pa.Array]:
    """The columns of these records. Raises UnfitRecord with the first record that does not fit."""
    form = form_of(schema.names)
    try:
        if form == "pickled":
            return [pa.array(list(map(pickled, records)), pa.binary())]
        if form == "value":
            return [_column(records, schema.field(0))]
        return [_column(column, field) for column, field in zip(taken_apart(records, schema), schema, strict=True)]
    except (pa.ArrowException, TypeError, ValueError, OverflowError, Unfit) as error:
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

        return bytes(cloudpickle.dumps(record, protocol=5))  # type: ignore[no-untyped-call]


def columns_of(columns: Sequence[Sequence[Any]], schema: pa.Schema) -> list[pa.Array]:
    """The columns of records that were taken apart already. Raises UnfitRecord as `encode` does."""
    try:
        return [_column(column, field) for column, field in zip(columns, schema, strict=True)]
    except (pa.ArrowException, TypeError, ValueError, OverflowError, Unfit):
        make = functools.partial(tuple.__new__, row_class(tuple(schema.names)))
        records = zip(*columns, strict=True)
        return encode(list(map(make, records) if form_of(schema.names) == "row" else records), schema)


def taken_apart(records: Sequence[Any], schema: pa.Schema) -> list[list[Any]]:
    """The values of every column. Raises Unfit where a record has more or fewer."""
    width = len(schema)
    if not {tuple, list, row_class(tuple(schema.names))}.issuperset(map(type, records)):
        records = [tuple(positional(record, schema.names)) for record in records]
    for length in set(map(len, records)):
        if length != width:
            raise Unfit(f"it has {length} fields where {width} are declared")
    if records and isinstance(records[0], NamedRow):
        records = list(map(tuple, records))  # whose fields are quicker to read
    # not zip(*records): reading ten thousand records side by side costs many times more
    return [list(map(operator.itemgetter(at), records)) for at in range(width)]


def _column(values: Sequence[Any], field: pa.Field) -> pa.Array:
    try:
        if field.type in _INFERRED:
            made = pa.array(values)
            if made.type == field.type:
                return made  # every value was of the declared type already, so there is nothing to refuse
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass  # mixed types, of which some may fit: the check below tells which does not
    return _checked(values, field)


def _checked(values: Sequence[Any], field: pa.Field) -> pa.Array:
    refused, convert = refused_types(field.type), outgoing(field.type)
    if refused:
        for kind in set(map(type, values)):
            if issubclass(kind, refused) and kind is not bool:
                raise Unfit(f"a {kind.__name__} is not a {field.type} (column {field.name})")
    try:
        if pa.types.is_float64(field.type) and int in set(map(type, values)):
            values = [float(value) if value.__class__ is int else value for value in values]  # of any size
        ready = values if convert is None else [None if value is None else convert(value) for value in values]
        return pa.array(ready, field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, Unfit) as error:
        raise Unfit(f"{error} (column {field.name})") from None


_INFERRED = frozenset({pa.string(), pa.int64(), pa.binary()})  # types that pyarrow finds by itself in values of them
