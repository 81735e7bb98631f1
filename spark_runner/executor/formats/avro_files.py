"""Files of Avro: blocks of records after a header with their schema. Runs on workers.

Spark brings no reader or writer of Avro with it, so the files are taken apart and put together here. The codecs are
those of Python's own library: none, deflate, bzip2 and xz.
"""

from __future__ import annotations

import bz2
import json
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from spark_runner.executor.formats.avro_rows import AvroReader, AvroWriter
from spark_runner.executor.operators import Each, Ending

__all__ = ["AvroFile", "AvroRecord", "containers"]

_MAGIC = b"Obj\x01"
_BLOCK = 64_000  # bytes of records, as Avro's own writers
_SYNC = 16
_UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "null": bytes,
    "deflate": lambda data: zlib.decompress(data, -15),
    "bzip2": bz2.decompress,
    "xz": lzma.decompress,
}
_CLASSES: dict[str, type | tuple[type, ...]] = {
    "boolean": bool, "string": str, "enum": str, "bytes": bytes, "fixed": bytes, "float": (float, int),
    "double": (float, int), "array": (list, tuple), "map": dict, "record": dict,
}  # fmt: skip


class _Records(AvroReader):
    """Records as dicts, and times that know their zone, as PyFlink gives them."""

    def _record(self, schema: Any) -> Any:
        return {field["name"]: self.read(field["type"]) for field in schema["fields"]}

    def read(self, schema: Any) -> Any:
        found = super().read(schema)
        return found.replace(tzinfo=UTC) if isinstance(found, datetime) else found


class _Written(AvroWriter):
    """Records from dicts; of several types the first one that fits is taken."""

    def _record(self, schema: Any, value: Any) -> None:
        for field in schema["fields"]:
            self.write(field["type"], value[field["name"]] if "default" not in field else _or_default(value, field))

    def _union(self, schema: Any, value: Any) -> None:
        for number, branch in enumerate(schema):
            if self._fits(branch, value):
                self._number(number)
                self.write(branch, value)
                return
        raise TypeError(f"{value!r} fits none of the Avro schema's types {schema}")

    def _fits(self, branch: Any, value: Any) -> bool:
        kind, full = self.kind(branch)
        if value is None or kind == "null":
            return value is None and kind == "null"
        if "logicalType" in full:
            return not isinstance(value, str | bool)
        if kind in ("int", "long"):
            return isinstance(value, int) and not isinstance(value, bool) and (kind == "long" or abs(value) < 2**31)
        if isinstance(value, bool) and kind != "boolean":
            return False
        if kind == "enum":
            return value in full["symbols"]
        if kind == "record":
            return isinstance(value, dict) and all(one["name"] in value or "default" in one for one in full["fields"])
        return isinstance(value, _CLASSES[kind])


def _or_default(value: Any, field: Any) -> Any:
    return value.get(field["name"], field["default"])


class AvroFile(Each):
    """The records of a whole file."""

    def calling(self) -> Callable[[Any], Any]:
        return lambda value: records_of_file(bytes(value[0] if isinstance(value, tuple) else value))


class AvroRecord(Ending):
    """A record as the bytes that stand in a file's block."""

    def open(self) -> None:
        super().open()
        self.schema: Any = json.loads(self.spec.options["schema"])
        self.names: dict[str, Any] = {}

    def shape(self, value: Any) -> bytes:
        return bytes(_Written(self.names).write(self.schema, value))


def records_of_file(content: bytes) -> Iterator[Any]:
    """Every record of a file. Raises ValueError where it is no file of Avro."""
    if not content.startswith(_MAGIC):
        raise ValueError("this is no file of Avro: it does not begin with Obj and 1")
    names: dict[str, Any] = {}
    header = AvroReader(content, names, None, at=len(_MAGIC))
    about = header.read({"type": "map", "values": "bytes"})
    schema = json.loads(about["avro.schema"])
    codec = about.get("avro.codec", b"null").decode()
    if codec not in _UNPACK:
        raise ValueError(f"the file is compressed with {codec}; {', '.join(_UNPACK)} are read here")
    at = header.at + _SYNC
    while at < len(content):
        block = AvroReader(content, names, None, at=at)
        count, size = block.read("long"), block.read("long")
        records = _Records(_UNPACK[codec](content[block.at : block.at + size]), names, None)
        for _ in range(count):
            yield records.read(schema)
        at = block.at + size + _SYNC


def containers(schema: str, batches: Iterable[Any]) -> Iterator[Any]:
    """One file of all records of a partition, without its last byte: the newline that Spark writes after a text."""
    import pyarrow as pa

    sync = os.urandom(_SYNC - 1) + b"\n"
    out, block, count = bytearray(), bytearray(), 0
    for batch in batches:
        for record in batch.column(0).to_pylist():
            block += record
            count += 1
            if len(block) >= _BLOCK:
                out += _packed(count, block) + sync
                block, count = bytearray(), 0
    if count:
        out += _packed(count, block) + sync
    if out:
        about = {"avro.schema": schema.encode(), "avro.codec": b"null"}
        header = _MAGIC + AvroWriter({}).write({"type": "map", "values": "bytes"}, about) + sync
        yield pa.RecordBatch.from_pydict({"value": pa.array([bytes(header + out)[:-1]], pa.binary())})


def _packed(count: int, block: bytearray) -> bytes:
    written = AvroWriter({})
    written.write("long", count)
    return bytes(written.write("long", len(block)) + block)
