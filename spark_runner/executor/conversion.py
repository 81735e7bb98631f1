"""Records between PyFlink operators: every one is written by its declared type and read again. Runs on workers.

A form is a tuple that the driver makes of a type: ("str",), ("row", Row, names, fields), ("any",) and so on. Functions
inside one merged operator hand their records to each other as they are; only what leaves it goes through here.
"""

from __future__ import annotations

import datetime
import functools
import pickle
import struct
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa

from spark_runner.executor.nested_values import Unfit, positional
from spark_runner.executor.records import UnfitRecord, declared, decode, encode, pickled
from spark_runner.executor.rows import form_of as rows_form_of
from spark_runner.executor.rows import row_class

__all__ = [
    "ALWAYS",
    "ATOMS",
    "RECORD",
    "Check",
    "Convert",
    "Form",
    "TypedKey",
    "UnfitKey",
    "check_of",
    "columns_form",
    "converter",
    "copied",
    "is_as_given",
]

Form = tuple[Any, ...]
Convert = Callable[[Any], Any]

ATOMS = frozenset({str, int, float, bool, bytes, complex})
_NEVER_CHANGED = ATOMS | {type(None)}
_FLOAT = struct.Struct("f")


def converter(form: Form) -> Convert:
    """The function that makes of a record what the reader of its type gets."""
    return _MAKERS[form[0]](form)


def copied(value: Any) -> Any:
    """A record of no declared type: readers get their own, as if it had been pickled."""
    kind = value.__class__
    if kind in _NEVER_CHANGED or (issubclass(kind, tuple) and _NEVER_CHANGED.issuperset(map(type, value))):
        return value
    if kind is tuple:
        return tuple([copied(part) for part in value])
    try:
        return pickle.loads(pickled(value))
    except Exception:  # something that cannot be pickled, such as a lock, has only one owner
        return value


class Check(NamedTuple):
    """What is true of a record which has a form already, so that nothing is to be converted."""

    whole: str  # an expression, in which RECORD stands for the record; empty: nothing
    parts: tuple[Check | None, ...] | None = None  # of the elements of a plain tuple of so many; None: of any other


RECORD = "$"
ALWAYS = Check("False")  # every record is to be converted


def check_of(form: Form) -> Check | None:
    """What tells that a record has the form. None where no record is to be converted."""
    kind = form[0]
    if kind == "columns":
        return _columns_check(form[1])
    if kind in ("as it is", "instant"):
        return None
    if kind in ("any", "record"):
        return Check(f"{RECORD}.__class__ in ATOMS")
    if kind in _CLASSES:
        return Check(f"{RECORD}.__class__ is {_CLASSES[kind]}")
    if kind == "int":
        return _whole_check(1 << (form[1] - 1) if len(form) > 1 else 1 << 63)
    if kind == "tuple":
        return _of_parts(_is_tuple(len(form[1])), map(check_of, form[1]))
    if kind == "pair":
        return _of_parts("", map(check_of, form[1:]))
    return ALWAYS


def _of_parts(whole: str, parts: Iterable[Check | None]) -> Check:
    found = tuple(parts)
    return ALWAYS if ALWAYS in found else Check(whole, found)


def _is_tuple(width: int) -> str:
    return f"{RECORD}.__class__ is tuple and len({RECORD}) == {width}"


def _whole_check(limit: int) -> Check:
    return Check(f"{RECORD}.__class__ is int and {-limit} <= {RECORD} < {limit}")


_CLASSES = {"str": "str", "bool": "bool", "double": "float"}


# --- declared columns: the types of our own API -----------------------------------------------------------------------


def columns_form(schema: pa.Schema) -> Form:
    """The form of records with these columns: what comes out when they are written as columns and read again."""
    return ("columns", schema)


class UnfitKey(Unfit):
    """A key that is not of its declared type."""

    def __init__(self, key: Any, reason: str) -> None:
        super().__init__(f"key_by gave a key that does not fit its declared type: {reason}")
        self.key = key


class TypedKey:
    """Gives a record's key in its declared type."""

    def __init__(self, select: Callable[[Any], Any], form: Form) -> None:
        self.select, self.form = select, form
        self.convert: Convert | None = None

    def __call__(self, record: Any) -> Any:
        self.convert = self.convert or converter(self.form)
        key = self.select(record)
        try:
            return self.convert(key)
        except Unfit as unfit:
            raise UnfitKey(key, str(unfit)) from None

    def __reduce__(self) -> Any:
        return TypedKey, (self.select, self.form)


def _columns_check(schema: pa.Schema) -> Check:
    form, width = rows_form_of(schema.names), len(schema)
    if form == "pickled":
        return Check(f"{RECORD}.__class__ in ATOMS")
    if form == "value":
        return _type_check(schema.field(0).type)
    parts = tuple(_type_check(field.type) for field in schema)
    if form == "tuple":
        return _of_parts(_is_tuple(width), parts)
    if ALWAYS in parts:
        return ALWAYS
    whole = [f"getattr({RECORD}, '_fields', None) == {tuple(schema.names)!r}"]
    whole += [part.whole.replace(RECORD, f"{RECORD}[{at}]") for at, part in enumerate(parts)]
    return Check(" and ".join(whole))


def _type_check(kind: pa.DataType) -> Check:
    if pa.types.is_signed_integer(kind):
        return _whole_check(1 << (kind.bit_width - 1))
    name = _PLAIN_TYPES.get(kind)
    return ALWAYS if name is None else Check(f"{RECORD}.__class__ is {name.__name__}")


def is_as_given(kind: pa.DataType) -> bool:
    """Whether a value that fits this type is equal to what it becomes."""
    return pa.types.is_integer(kind) or kind in (pa.string(), pa.bool_(), pa.binary())


_PLAIN_TYPES = {pa.string(): str, pa.float64(): float, pa.bool_(): bool, pa.binary(): bytes}


def _columns(form: Form) -> Convert:
    schema: pa.Schema = form[1]
    shape = rows_form_of(schema.names)
    if shape == "pickled":
        return copied
    if shape == "value":
        return _value_of(schema.field(0))
    fields = [_value_of(field) for field in schema]
    make = tuple if shape == "tuple" else functools.partial(tuple.__new__, row_class(tuple(schema.names)))

    def convert(record: Any) -> Any:
        parts = positional(record, schema.names)
        if len(parts) != len(fields):
            raise Unfit(f"it has {len(parts)} fields where {len(fields)} are declared (declared: {declared(schema)})")
        return make([change(part) for change, part in zip(fields, parts, strict=True)])

    return convert


def _value_of(field: pa.Field) -> Convert:
    """A value of one column. What is not of the very type is written and read again, or refused by that."""
    one, exact = pa.schema([pa.field("value", field.type)]), _PLAIN_TYPES.get(field.type)
    whole = pa.types.is_signed_integer(field.type)
    limit = 1 << (field.type.bit_width - 1) if whole else 0
    real = pa.types.is_float64(field.type)

    def convert(value: Any) -> Any:
        kind = value.__class__
        if value is None or kind is exact or (whole and kind is int and -limit <= value < limit):
            return value
        try:
            return float(value) if real and kind is int else decode(encode([value], one), ["value"])[0]
        except (UnfitRecord, OverflowError) as unfit:
            raise Unfit(str(unfit).replace("column value", f"column {field.name}")) from None

    return convert


def _record(value: Any) -> Any:
    """A whole record that leaves its operator pickled."""
    if value is None:
        raise TypeError("the record is None, which Flink passes to no other operator")
    return copied(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string, which its declared type says")
    return str.__str__(value)


def _number(value: Any) -> int:
    """A whole number; fractions are cut off, as PyFlink does."""
    if not hasattr(value, "__int__"):
        raise TypeError(f"{value!r} is not a number, which its declared type says")
    return int(value)


def _bool(value: Any) -> bool:
    number = _number(value)
    if not 0 <= number < 256:
        raise OverflowError(f"{value!r} is no boolean, which its declared type says")
    return bool(number)


def _double(value: Any) -> float:
    if isinstance(value, str | bytes | bytearray):
        raise TypeError(f"{value!r} is not a number, which its declared type says")
    return float(value)


def _float32(value: Any) -> float:
    return float(_FLOAT.unpack(_FLOAT.pack(value))[0])


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes | bytearray):
        raise TypeError(f"{value!r} is not bytes, which its declared type says")
    return bytes(value)


def _whole(form: Form) -> Convert:
    """Whole numbers that fit the bits of their type."""
    limit = 1 << (form[1] - 1) if len(form) > 1 else 1 << 63

    def convert(value: Any) -> int:
        number = _number(value)
        if not -limit <= number < limit:
            raise OverflowError(f"{number} is too large for its declared type of {limit.bit_length()} bits")
        return number

    return convert


def _nullable(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _tuple(form: Form) -> Convert:
    """A tuple and nothing like it, without nulls where its fields are not pickled; elements too many are left out."""
    fields = [converter(one) for one in form[1]]

    def convert(value: Any) -> Any:
        if value.__class__ is not tuple:
            raise TypeError(f"{value!r} is not a tuple, which its declared type says")
        return tuple(_fields(fields, value))

    return convert


def _fields(fields: list[Convert], values: Any) -> list[Any]:
    if len(values) < len(fields):
        raise TypeError(f"{values!r} has {len(values)} fields, and its declared type has {len(fields)}")
    return [change(part) for change, part in zip(fields, values, strict=False)]


def _row(form: Form) -> Convert:
    _, row_class, names, types = form
    fields = [_nullable(converter(one)) for one in types]

    def convert(value: Any) -> Any:
        made = row_class(*_fields(fields, _parts(value, names)))
        if names:
            made.set_field_names(list(names))
        if hasattr(value, "get_row_kind"):
            made.set_row_kind(value.get_row_kind())
        return made

    return convert


def _parts(value: Any, names: tuple[str, ...]) -> Any:
    if not hasattr(value, "get_fields_by_names"):
        raise TypeError(f"{value!r} is no Row, which its declared type says: give Row(...)")
    return value.get_fields_by_names(list(names)) if names and getattr(value, "_fields", None) else value


def _list(form: Form) -> Convert:
    """A list and nothing like it. ("list", element, False) has no None in it."""
    change = converter(form[1]) if form[2:] == (False,) else _nullable(converter(form[1]))

    def convert(value: Any) -> Any:
        if value.__class__ is not list:
            raise TypeError(f"{value!r} is not a list, which its declared type says")
        return [change(part) for part in value]

    return convert


def _map(form: Form) -> Convert:
    keys, values = converter(form[1]), _nullable(converter(form[2]))
    return lambda value: {keys(key): values(part) for key, part in value.items()}


def _pair(form: Form) -> Convert:
    """A key and its record, which are two fields of a row in PyFlink."""
    key, value = _nullable(converter(form[1])), _nullable(converter(form[2]))
    return lambda pair: (key(pair[0]), value(pair[1]))


def _milliseconds(value: Any) -> Any:
    """A time of day or a moment as Java gets it: without its zone, cut off at milliseconds."""
    return value.replace(microsecond=value.microsecond // 1000 * 1000, tzinfo=None)


def _always(convert: Convert) -> Callable[[Form], Convert]:
    return lambda form: convert


_MAKERS: dict[str, Callable[[Form], Convert]] = {
    "columns": _columns,
    "any": _always(copied),
    "record": _always(_record),
    **{name: _always(lambda value: value) for name in ("as it is", "instant")},
    "decimal": _always(lambda value: value if value.__class__ is Decimal else Decimal(str(value))),
    "date": _always(lambda value: datetime.date.fromordinal(value.toordinal())),
    "time": _always(_milliseconds),
    "timestamp": _always(_milliseconds),
    "pickled": _always(lambda value: bytearray(pickled(value))),
    "str": _always(_text),
    "int": _whole,
    "bool": _always(_bool),
    "double": _always(_double),
    "float": _always(_float32),
    "bytes": _always(_bytes),
    "tuple": _tuple,
    "row": _row,
    "list": _list,
    "map": _map,
    "pair": _pair,
}
