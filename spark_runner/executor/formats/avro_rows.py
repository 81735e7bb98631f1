"""Rows in Avro's binary form, as AvroRowDeserializationSchema reads and its counterpart writes them. On workers."""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

__all__ = ["AvroReader", "AvroWriter", "avro_reader", "avro_writer"]

_EPOCH = date(1970, 1, 1)
_LENGTHS = {"float": ("<f", 4), "double": ("<d", 8)}


def avro_reader(schema: Any, row_class: Any) -> Callable[[bytes], Any]:
    """What reads one row."""
    names: dict[str, Any] = {}
    return lambda message: AvroReader(bytes(message), names, row_class).read(schema)


def avro_writer(schema: Any) -> Callable[[Any], bytes]:
    """What writes one row."""
    names: dict[str, Any] = {}
    return lambda record: bytes(AvroWriter(names).write(schema, record))


def _kind(schema: Any, names: dict[str, Any]) -> tuple[str, Any]:
    """The name of a schema's type, and the schema itself; named types are found by their names."""
    if isinstance(schema, list):
        return "union", schema
    if isinstance(schema, str):
        if schema in names:
            return _kind(names[schema], names)
        return schema, {"type": schema}
    kind = schema["type"]
    if not isinstance(kind, str) or kind in names:
        return _kind(kind, names)
    if kind in ("record", "enum", "fixed"):
        names[schema["name"]] = schema
    return kind, schema


class AvroReader:
    """One message, read from its beginning."""

    def __init__(self, message: bytes, names: dict[str, Any], row: Any, *, at: int = 0) -> None:
        self.message, self.names, self.row, self.at = message, names, row, at

    def read(self, schema: Any) -> Any:
        """The next value, of this schema."""
        kind, full = _kind(schema, self.names)
        return _LOGICAL_READ.get(_logical(kind, full), _same)(self._plain(kind, full), full)

    def _plain(self, kind: str, schema: Any) -> Any:
        if kind in ("int", "long"):
            return self._number()
        if kind in _LENGTHS:
            code, size = _LENGTHS[kind]
            return struct.unpack(code, self._bytes(size))[0]
        if kind in ("string", "bytes"):
            found = self._bytes(self._number())
            return found.decode() if kind == "string" else found
        return getattr(self, f"_{kind}")(schema)

    def _null(self, schema: Any) -> None:
        return None

    def _boolean(self, schema: Any) -> bool:
        return self._bytes(1) == b"\x01"

    def _fixed(self, schema: Any) -> bytes:
        return self._bytes(int(schema["size"]))

    def _enum(self, schema: Any) -> str:
        return str(schema["symbols"][self._number()])

    def _union(self, schema: Any) -> Any:
        return self.read(schema[self._number()])

    def _record(self, schema: Any) -> Any:
        made = self.row(*[self.read(field["type"]) for field in schema["fields"]])
        made.set_field_names([field["name"] for field in schema["fields"]])
        return made

    def _array(self, schema: Any) -> list[Any]:
        return [self.read(schema["items"]) for _ in self._blocks()]

    def _map(self, schema: Any) -> dict[str, Any]:
        return {self._plain("string", None): self.read(schema["values"]) for _ in self._blocks()}

    def _blocks(self) -> Any:
        while count := self._number():
            if count < 0:  # then the bytes of the block follow
                count, _ = -count, self._number()
            yield from range(count)

    def _number(self) -> int:
        shift = found = 0
        while True:
            byte = self.message[self.at]
            self.at += 1
            found |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return (found >> 1) ^ -(found & 1)

    def _bytes(self, size: int) -> bytes:
        found = self.message[self.at : self.at + size]
        if len(found) < size:
            raise ValueError("the message ends in the middle of a field")
        self.at += size
        return found


class AvroWriter:
    """One message, written from its beginning."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names, self.out = names, bytearray()

    def kind(self, schema: Any) -> tuple[str, Any]:
        """The name of a schema's type, and the schema itself."""
        return _kind(schema, self.names)

    def write(self, schema: Any, value: Any) -> bytearray:
        """One more value; gives all that is written so far."""
        kind, full = _kind(schema, self.names)
        self._plain(kind, full, _LOGICAL_WRITE.get(_logical(kind, full), _same)(value, full))
        return self.out

    def _plain(self, kind: str, schema: Any, value: Any) -> None:
        if kind in ("int", "long"):
            self._number(int(value))
        elif kind in _LENGTHS:
            self.out += struct.pack(_LENGTHS[kind][0], value)
        elif kind in ("string", "bytes"):
            written = str(value).encode() if kind == "string" else bytes(value)
            self._number(len(written))
            self.out += written
        else:
            getattr(self, f"_{kind}")(schema, value)

    def _null(self, schema: Any, value: Any) -> None:
        if value is not None:
            raise TypeError(f"{value!r} where the Avro schema says null")

    def _boolean(self, schema: Any, value: Any) -> None:
        self.out += b"\x01" if value else b"\x00"

    def _fixed(self, schema: Any, value: Any) -> None:
        self.out += bytes(value)

    def _enum(self, schema: Any, value: Any) -> None:
        self._number(schema["symbols"].index(value))

    def _union(self, schema: Any, value: Any) -> None:
        for number, branch in enumerate(schema):
            kind, _ = _kind(branch, self.names)
            if (kind == "null") == (value is None):
                self._number(number)
                self.write(branch, value)
                return
        raise TypeError(f"{value!r} fits none of the Avro schema's types {schema}")

    def _record(self, schema: Any, value: Any) -> None:
        names = [field["name"] for field in schema["fields"]]
        parts = value.get_fields_by_names(names) if getattr(value, "_fields", None) else list(value)
        for field, part in zip(schema["fields"], parts, strict=True):
            self.write(field["type"], part)

    def _array(self, schema: Any, value: Any) -> None:
        if value:
            self._number(len(value))
        for one in value:
            self.write(schema["items"], one)
        self._number(0)

    def _map(self, schema: Any, value: Any) -> None:
        if value:
            self._number(len(value))
        for key, one in value.items():
            self._plain("string", None, key)
            self.write(schema["values"], one)
        self._number(0)

    def _number(self, value: int) -> None:
        left = (value << 1) ^ (value >> 63)
        while left >= 0x80:
            self.out.append(left & 0x7F | 0x80)
            left >>= 7
        self.out.append(left)


# --- logical types ----------------------------------------------------------------------------------------------------


def _logical(kind: str, schema: Any) -> str:
    return "" if kind == "union" else str(schema.get("logicalType", ""))


def _same(value: Any, schema: Any) -> Any:
    return value


def _scaled(value: bytes, schema: Any) -> Decimal:
    return Decimal(int.from_bytes(value, "big", signed=True)).scaleb(-int(schema.get("scale", 0)))


def _unscaled(value: Decimal, schema: Any) -> bytes:
    whole = int(value.scaleb(int(schema.get("scale", 0))))
    return whole.to_bytes(schema.get("size", whole.bit_length() // 8 + 1), "big", signed=True)


def _moment(unit: int) -> Callable[[Any, Any], Any]:
    return lambda value, schema: (
        datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value * unit)
    ).replace(tzinfo=None)  # fmt: skip


def _since(unit: int) -> Callable[[Any, Any], Any]:
    return lambda value, schema: (value.replace(tzinfo=None) - datetime(1970, 1, 1)) // timedelta(microseconds=unit)


def _of_day(unit: int) -> Callable[[Any, Any], Any]:
    return lambda value, schema: (datetime(1970, 1, 1) + timedelta(microseconds=value * unit)).time()


def _day_time(unit: int) -> Callable[[time, Any], int]:
    return lambda value, schema: (
        (value.hour * 3600 + value.minute * 60 + value.second) * 1_000_000 + value.microsecond
    ) // unit  # fmt: skip


_LOGICAL_READ: dict[str, Callable[[Any, Any], Any]] = {
    "date": lambda value, schema: _EPOCH + timedelta(days=value),
    "time-millis": _of_day(1000),
    "time-micros": _of_day(1),
    "timestamp-millis": _moment(1000),
    "timestamp-micros": _moment(1),
    "decimal": _scaled,
}
_LOGICAL_WRITE: dict[str, Callable[[Any, Any], Any]] = {
    "date": lambda value, schema: (value - _EPOCH).days,
    "time-millis": _day_time(1000),
    "time-micros": _day_time(1),
    "timestamp-millis": _since(1000),
    "timestamp-micros": _since(1),
    "decimal": _unscaled,
}
