"""`pyflink.common.typeinfo` and output tags: the types of records, as far as plans need them."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from planner.frontends.python.differences import as_pyflink, wrong

__all__ = [
    "BasicArrayTypeInfo", "BasicType", "BasicTypeInfo", "DateTypeInfo", "ExternalTypeInfo", "InstantTypeInfo",
    "ListTypeInfo", "LocalTimeTypeInfo", "MapTypeInfo", "ObjectArrayTypeInfo", "OutputTag", "PickledBytesTypeInfo",
    "PrimitiveArrayTypeInfo", "ResultTypeQueryable", "RowDataTypeInfo", "RowTypeInfo", "SqlTimeTypeInfo",
    "TimeTypeInfo", "TimestampTypeInfo", "TupleTypeInfo",
    "TypeInformation", "Types", "type_of",
]  # fmt: skip


class TypeInformation:
    """The type of a stream's records. Two are equal where Flink finds them equal: names of fields do not count."""

    def _identity(self) -> tuple[Any, ...]:
        return ()

    def need_conversion(self) -> bool:
        """Whether values have another form inside Flink."""
        return False

    def to_internal_type(self, obj: Any) -> Any:
        """A value as Flink takes it; refuses what does not fit."""
        return obj

    def from_internal_type(self, obj: Any) -> Any:
        """A value as Python sees it."""
        return obj

    def get_java_type_info(self) -> TypeInformation:
        """PyFlink gives a Java object here, which scripts only hand on."""
        return self

    def to_ddl(self) -> str | None:
        """The record's columns as Spark DDL; None where records are pickled. Ours, not PyFlink's."""
        sql = self._sql()
        return None if sql is None else f"value {sql}"

    def nested(self) -> str:
        """The type as a part of another, in Spark SQL. Ours, not PyFlink's."""
        return self._sql() or "binary"

    def _sql(self) -> str | None:
        """The type in Spark SQL; None: Spark has none for it, and values are pickled."""
        return None

    def _java_class(self) -> type[TypeInformation]:
        return type(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TypeInformation) or self._java_class() is not other._java_class():
            return False
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self._java_class(), self._identity()))

    def __repr__(self) -> str:
        return type(self).__name__


class BasicType(Enum):
    """The basic types, by Flink's names."""

    STRING = "String"
    BYTE = "Byte"
    BOOLEAN = "Boolean"
    SHORT = "Short"
    INT = "Integer"
    LONG = "Long"
    FLOAT = "Float"
    DOUBLE = "Double"
    CHAR = "Char"
    BIG_INT = "BigInteger"
    BIG_DEC = "BigDecimal"
    INSTANT = "Instant"


_SQL = {
    BasicType.STRING: "string", BasicType.BYTE: "tinyint", BasicType.BOOLEAN: "boolean", BasicType.SHORT: "smallint",
    BasicType.INT: "int", BasicType.LONG: "bigint", BasicType.FLOAT: "float", BasicType.DOUBLE: "double",
    BasicType.CHAR: "string", BasicType.BIG_INT: "decimal(38,0)", BasicType.BIG_DEC: "decimal(38,18)",
    BasicType.INSTANT: "timestamp",
}  # fmt: skip


class BasicTypeInfo(TypeInformation):
    """A basic type."""

    def __init__(self, basic_type: BasicType) -> None:
        self._basic_type = basic_type

    def _identity(self) -> tuple[Any, ...]:
        return (self._basic_type,)

    def _sql(self) -> str:
        return _SQL[self._basic_type]

    def __repr__(self) -> str:
        return self._basic_type.value


class InstantTypeInfo(BasicTypeInfo):
    """A point in time."""

    def need_conversion(self) -> bool:
        """Instants are counted in microseconds inside Flink."""
        return True

    def to_internal_type(self, obj: Any) -> Any:
        """Microseconds since 1970, of which the milliseconds are kept."""
        return obj.to_epoch_milli() * 1000

    def from_internal_type(self, obj: Any) -> Any:
        """The instant."""
        from planner.frontends.python.values.times import Instant

        return Instant.of_epoch_milli(obj // 1000)


def _maker(kind: BasicType) -> Callable[[], BasicTypeInfo]:
    made = InstantTypeInfo if kind is BasicType.INSTANT else BasicTypeInfo
    return lambda: made(kind)


for _kind in BasicType:
    setattr(BasicTypeInfo, f"{_kind.name}_TYPE_INFO", staticmethod(_maker(_kind)))


class PickledBytesTypeInfo(TypeInformation):
    """Any Python object, pickled."""

    def __repr__(self) -> str:
        return "PickledByteArrayTypeInfo"


class _Of(TypeInformation):
    """A type made of one other."""

    def __init__(self, element_type: TypeInformation) -> None:
        self._element_type = element_type

    def _identity(self) -> tuple[Any, ...]:
        return (self._element_type,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}<{self._element_type}>"


class _Array(_Of):
    """A type of many values of one type."""

    def _sql(self) -> str:
        return f"array<{self._element_type.nested()}>"


class PrimitiveArrayTypeInfo(_Array):
    """An array of a primitive type; of bytes it is binary."""

    def _sql(self) -> str:
        return "binary" if self._element_type == Types.BYTE() else super()._sql()


class BasicArrayTypeInfo(_Array):
    """An array of a basic type."""


class ObjectArrayTypeInfo(_Array):
    """An array of any type; of strings it is Flink's basic array."""

    def _java_class(self) -> type[TypeInformation]:
        return BasicArrayTypeInfo if self._element_type == _maker(BasicType.STRING)() else ObjectArrayTypeInfo


class ListTypeInfo(_Array):
    """A list."""

    @property
    def elem_type(self) -> TypeInformation:
        """The type of its elements."""
        return self._element_type


class ExternalTypeInfo(_Of):
    """A row of the Table API."""

    def __init__(self, type_info: TypeInformation) -> None:
        super().__init__(type_info)

    @property
    def _type_info(self) -> TypeInformation:
        return self._element_type


class RowDataTypeInfo(TypeInformation):
    """Rows as Flink's SQL runtime keeps them, given by formats that read columns."""


class MapTypeInfo(TypeInformation):
    """A map."""

    def __init__(self, key_type_info: TypeInformation, value_type_info: TypeInformation) -> None:
        self._key_type_info = key_type_info
        self._value_type_info = value_type_info

    def _identity(self) -> tuple[Any, ...]:
        return (self._key_type_info, self._value_type_info)

    def _sql(self) -> str:
        return f"map<{self._key_type_info.nested()}, {self._value_type_info.nested()}>"

    def __repr__(self) -> str:
        return f"MapTypeInfo<{self._key_type_info}, {self._value_type_info}>"


class _Fields(TypeInformation):
    """A type of several fields."""

    def __init__(self, field_types: Sequence[TypeInformation]) -> None:
        self._field_types = list(field_types)

    def get_field_types(self) -> list[TypeInformation]:
        """The types of the fields."""
        return self._field_types

    def get_field_names(self) -> list[str]:
        """The names: given, or f0, f1 and so on."""
        return [f"f{number}" for number in range(len(self._field_types))]

    def to_ddl(self) -> str | None:
        """A column for each field."""
        return ", ".join(f"{_quoted(name)} {kind}" for name, kind in self._columns())

    def _sql(self) -> str:
        return f"struct<{', '.join(f'{_quoted(name)}: {kind}' for name, kind in self._columns())}>"

    def _columns(self) -> list[tuple[str, str]]:
        kinds = [kind.nested() for kind in self._field_types]
        return list(zip(self.get_field_names(), kinds, strict=False))

    def need_conversion(self) -> bool:
        """Several fields always have another form inside Flink."""
        return True

    def _identity(self) -> tuple[Any, ...]:
        return tuple(self._field_types)

    def _values(self, obj: Any) -> tuple[Any, ...]:
        """The values of the fields. Values without a field are lost where some field is converted, and kept else."""
        converted = [isinstance(field, TypeInformation) and field.need_conversion() for field in self._field_types]
        if not any(converted):
            return tuple(obj)
        return tuple(
            field.to_internal_type(value) if convert else value
            for field, value, convert in zip(self._field_types, obj, converted, strict=False)
        )


class RowTypeInfo(_Fields):
    """A row, with or without names."""

    def __init__(self, field_types: Sequence[TypeInformation], field_names: Sequence[str] | None = None) -> None:
        super().__init__(field_types)
        self._field_names = None if field_names is None else list(field_names)

    def get_field_names(self) -> list[str]:
        """The names: given, or f0, f1 and so on."""
        return list(map(str, self._field_names)) if self._field_names else super().get_field_names()

    def get_field_index(self, field_name: str) -> int:
        """The position of a named field; -1 where rows have no names."""
        return self._field_names.index(field_name) if self._field_names else -1

    def to_internal_type(self, obj: Any) -> Any:
        """The row's kind and values."""
        from planner.frontends.python.values.rows import Row

        if obj is None:
            return None
        if isinstance(obj, Row):
            named = [obj[name] for name in self.get_field_names()] if hasattr(obj, "_fields") else list(obj)
            return (obj.get_row_kind().value, *self._values(named))
        if isinstance(obj, (list, tuple)):
            return (0, *self._values(obj))
        if isinstance(obj, dict) or hasattr(obj, "__dict__"):
            found = obj if isinstance(obj, dict) else vars(obj)
            return (0, *self._values([found.get(name) for name in self.get_field_names()]))
        raise ValueError(f"Unexpected tuple {obj!r} with RowTypeInfo")

    def __repr__(self) -> str:
        if not self._field_names:
            return f"RowTypeInfo({', '.join(map(str, self._field_types))})"
        pairs = zip(self._field_names, self._field_types, strict=False)
        return f"RowTypeInfo({', '.join(f'{name}: {kind}' for name, kind in pairs)})"


class TupleTypeInfo(_Fields):
    """A tuple."""

    def to_internal_type(self, obj: Any) -> Any:
        """The values."""
        from planner.frontends.python.values.rows import Row

        if obj is None:
            return None
        if not isinstance(obj, (list, tuple, Row)):
            raise ValueError(f"Unexpected tuple {obj!r} with TupleTypeInfo")
        return self._values(list(obj))

    def __repr__(self) -> str:
        return f"TupleTypeInfo({', '.join(map(str, self._field_types))})"


class _SqlTime(TypeInformation):
    """A type of java.sql: a number inside Flink."""

    def need_conversion(self) -> bool:
        """Times are numbers inside Flink."""
        return True


class DateTypeInfo(_SqlTime):
    """A java.sql.Date."""

    EPOCH_ORDINAL = datetime.datetime(1970, 1, 1).toordinal()

    def _sql(self) -> str:
        return "date"

    def to_internal_type(self, obj: Any) -> Any:
        """Days since 1970."""
        return None if obj is None else obj.toordinal() - self.EPOCH_ORDINAL

    def from_internal_type(self, obj: Any) -> Any:
        """The date."""
        return None if obj is None else datetime.date.fromordinal(obj + self.EPOCH_ORDINAL)


class TimeTypeInfo(_SqlTime):
    """A java.sql.Time."""

    EPOCH_ORDINAL = time.localtime(0).tm_gmtoff * 10**6

    def _sql(self) -> str:
        return "string"

    def to_internal_type(self, obj: Any) -> Any:
        """Microseconds of the day, in UTC."""
        if obj is None:
            return None
        offset = self.EPOCH_ORDINAL
        if obj.tzinfo is not None:
            offset = (obj.utcoffset() or datetime.timedelta()) // datetime.timedelta(microseconds=1)
        return ((obj.hour * 60 + obj.minute) * 60 + obj.second) * 10**6 + obj.microsecond - offset

    def from_internal_type(self, obj: Any) -> Any:
        """The time of the day."""
        if obj is None:
            return None
        seconds, microseconds = divmod(obj + self.EPOCH_ORDINAL, 10**6)
        minutes, seconds = divmod(seconds, 60)
        return datetime.time(minutes // 60, minutes % 60, seconds, microseconds)


class TimestampTypeInfo(_SqlTime):
    """A java.sql.Timestamp."""

    def to_internal_type(self, obj: Any) -> Any:
        """Microseconds since 1970."""
        if obj is None:
            return None
        seconds = obj.timestamp() // 1 if obj.tzinfo else time.mktime(obj.timetuple())
        return int(seconds) * 10**6 + obj.microsecond

    def from_internal_type(self, obj: Any) -> Any:
        """The local date and time."""
        if obj is None:
            return None
        return datetime.datetime.fromtimestamp(obj // 10**6).replace(microsecond=obj % 10**6)

    def _sql(self) -> str:
        return "timestamp_ntz"


class SqlTimeTypeInfo(TypeInformation):
    """The types of java.sql's times."""

    DATE = staticmethod(DateTypeInfo)
    TIME = staticmethod(TimeTypeInfo)
    TIMESTAMP = staticmethod(TimestampTypeInfo)


class LocalTimeTypeInfo(TypeInformation):
    """A type of java.time's local times."""

    class TimeType(Enum):
        """Which of them."""

        LOCAL_DATE = 0
        LOCAL_TIME = 1
        LOCAL_DATE_TIME = 2

    def __init__(self, time_type: TimeType) -> None:
        self._time_type = time_type

    def _identity(self) -> tuple[Any, ...]:
        return (self._time_type,)


def _basic(kind: BasicType) -> Callable[[], TypeInformation]:
    return staticmethod(_maker(kind))


class Types:
    """How jobs name types."""

    STRING = _basic(BasicType.STRING)
    BYTE = _basic(BasicType.BYTE)
    BOOLEAN = _basic(BasicType.BOOLEAN)
    SHORT = _basic(BasicType.SHORT)
    INT = _basic(BasicType.INT)
    LONG = _basic(BasicType.LONG)
    FLOAT = _basic(BasicType.FLOAT)
    DOUBLE = _basic(BasicType.DOUBLE)
    CHAR = _basic(BasicType.CHAR)
    BIG_INT = _basic(BasicType.BIG_INT)
    BIG_DEC = _basic(BasicType.BIG_DEC)
    INSTANT = _basic(BasicType.INSTANT)
    SQL_DATE = staticmethod(DateTypeInfo)
    SQL_TIME = staticmethod(TimeTypeInfo)
    SQL_TIMESTAMP = staticmethod(TimestampTypeInfo)
    PICKLED_BYTE_ARRAY = staticmethod(PickledBytesTypeInfo)

    @staticmethod
    def ROW(field_types: Sequence[TypeInformation]) -> RowTypeInfo:
        """A row with the columns f0, f1, ..."""
        return RowTypeInfo(_checked(field_types))

    @staticmethod
    def ROW_NAMED(field_names: Sequence[str], field_types: Sequence[TypeInformation]) -> RowTypeInfo:
        """A row with named columns."""
        return RowTypeInfo(_checked(field_types, field_names), field_names)

    @staticmethod
    def TUPLE(field_types: Sequence[TypeInformation]) -> TupleTypeInfo:
        """A tuple with the columns f0, f1, ..."""
        return TupleTypeInfo(_checked(field_types))

    @staticmethod
    def PRIMITIVE_ARRAY(element_type: TypeInformation) -> TypeInformation:
        """An array of a primitive type; of bytes it is binary."""
        return PrimitiveArrayTypeInfo(*_checked([element_type]))

    @staticmethod
    def BASIC_ARRAY(element_type: TypeInformation) -> TypeInformation:
        """An array of a basic type."""
        return BasicArrayTypeInfo(*_checked([element_type]))

    @staticmethod
    def OBJECT_ARRAY(element_type: TypeInformation) -> TypeInformation:
        """An array of any type."""
        return ObjectArrayTypeInfo(*_checked([element_type]))

    @staticmethod
    def MAP(key_type_info: TypeInformation, value_type_info: TypeInformation) -> TypeInformation:
        """A map of one key type to one value type."""
        return MapTypeInfo(*_checked([key_type_info, value_type_info]))

    @staticmethod
    def LIST(element_type_info: TypeInformation) -> TypeInformation:
        """A list of one element type."""
        return ListTypeInfo(*_checked([element_type_info]))


def _checked(types: Sequence[TypeInformation], names: Sequence[str] | None = None) -> Sequence[TypeInformation]:
    """Types that a planner job gives are checked where they are written; PyFlink finds faults later, or never."""
    if as_pyflink():
        return types
    for kind in types:
        if not isinstance(kind, TypeInformation):
            raise wrong(f"a type must be one of Types, found {kind!r}", "write for example Types.STRING()")
    count = len(types) if names is None else len(names)
    if not types or count != len(types) or len(set(names or ())) != len(names or ()):
        raise wrong(f"a row needs a distinct name for each of its types, found {count} names and {len(types)} types")
    return types


def _quoted(name: str) -> str:
    return name if name.isidentifier() else "`" + name.replace("`", "``") + "`"


def type_of(output_type: Any) -> TypeInformation:
    """The type that an `output_type` means: left out is pickled, a list is a row."""
    if output_type is None:
        return PickledBytesTypeInfo()
    if isinstance(output_type, list):
        return RowTypeInfo(output_type)
    if not isinstance(output_type, TypeInformation):
        raise TypeError(f"output_type must be None, list or TypeInformation, found {output_type!r}")
    return output_type


class ResultTypeQueryable:
    """A format that knows the type of its records."""

    def get_produced_type(self) -> TypeInformation:
        """The type."""
        raise NotImplementedError


class OutputTag:
    """The name and type of a side output."""

    def __init__(self, tag_id: str, type_info: Any = None) -> None:
        if not tag_id:
            raise ValueError("OutputTag tag_id cannot be None or empty string")
        if type_info is not None and not isinstance(type_info, (list, TypeInformation)):
            raise TypeError("OutputTag type_info must be None, list or TypeInformation")
        self.tag_id = tag_id
        self.type_info = type_of(type_info)
