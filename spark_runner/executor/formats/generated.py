"""Rows of Flink's `datagen` connector. Runs on workers.

A row depends on its number and nothing else, so that a batch that runs again gives the same rows. A field is a tuple
that the driver makes: ("sequence", first, form), or ("random", null rate, type), whose type is ("int", min, max),
("text", length, varies) and so on.
"""

from __future__ import annotations

import datetime
import struct
import time
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

from spark_runner.executor.operators import Shaped

__all__ = ["Generated", "generator"]

Type = tuple[Any, ...]
Make = Callable[[Random], Any]

_SINGLE = struct.Struct("f")


class Generated(Shaped):
    """The row of a number."""

    def open(self) -> None:
        super().open()
        options = self.spec.options
        self.fields = [generator(field) for field in options["fields"]]
        self.row, self.changes = options["row"], options["changes"]

    def shape(self, value: Any) -> Any:
        random = Random(value)
        made = self.row(*[field(value, random) for field in self.fields])
        return (True, made) if self.changes else made


def generator(field: tuple[Any, ...]) -> Callable[[int, Random], Any]:
    """What gives a field of the row with a number."""
    if field[0] == "sequence":
        _, first, form = field
        convert = {"str": str, "float": float, "decimal": Decimal}.get(form, int)
        return lambda number, random: convert(first + number)
    _, null_rate, kind = field
    make = _maker(kind)
    if not null_rate:
        return lambda number, random: make(random)
    return lambda number, random: None if random.random() < null_rate else make(random)


def _maker(kind: Type) -> Make:
    return _MAKERS[kind[0]](*kind[1:])


def _length(length: int, varies: bool) -> Callable[[Random], int]:
    return (lambda random: random.randint(1, length)) if varies and length > 1 else (lambda random: length)


def _text(length: int, varies: bool) -> Make:
    size = _length(length, varies)
    return lambda random: "".join(random.choices("0123456789abcdef", k=size(random)))


def _bytes(length: int, varies: bool) -> Make:
    size = _length(length, varies)
    return lambda random: random.randbytes(size(random))


def _int(least: int, most: int) -> Make:
    return lambda random: random.randint(least, most)


def _real(least: float, most: float, single: bool) -> Make:
    """A number of 64 bits, or one that fits into 32."""
    if not single:
        return lambda random: random.uniform(least, most)
    return lambda random: float(_SINGLE.unpack(_SINGLE.pack(random.uniform(least, most)))[0])


def _decimal(scale: int, least: float, most: float) -> Make:
    unit = Decimal(1).scaleb(-scale)
    return lambda random: Decimal(repr(random.uniform(least, most))).quantize(unit)


def _timestamp(past: int) -> Make:
    """A moment of the last so many milliseconds, in UTC."""

    def make(random: Random) -> datetime.datetime:
        moment = int(time.time() * 1000) - (random.randint(0, past) if past else 0)
        return datetime.datetime.fromtimestamp(moment // 1000, datetime.UTC).replace(
            tzinfo=None, microsecond=moment % 1000 * 1000
        )

    return make


def _row(row: Any, names: tuple[str, ...], kinds: tuple[Type, ...]) -> Make:
    fields = [_maker(kind) for kind in kinds]

    def make(random: Random) -> Any:
        made = row(*[field(random) for field in fields])
        made.set_field_names(list(names))
        return made

    return make


def _list(element: Type, length: int, varies: bool) -> Make:
    size, make = _length(length, varies), _maker(element)
    return lambda random: [make(random) for _ in range(size(random))]


def _map(key: Type, value: Type, length: int, varies: bool) -> Make:
    size, keys, values = _length(length, varies), _maker(key), _maker(value)
    return lambda random: {keys(random): values(random) for _ in range(size(random))}


def _now(read: Callable[[datetime.datetime], Any]) -> Callable[[], Make]:
    return lambda: lambda random: read(datetime.datetime.now())


_MAKERS: dict[str, Callable[..., Make]] = {
    "bool": lambda: lambda random: random.random() < 0.5,
    "text": _text,
    "bytes": _bytes,
    "int": _int,
    "real": _real,
    "decimal": _decimal,
    "date": _now(datetime.datetime.date),
    "time": _now(lambda now: now.time().replace(microsecond=now.microsecond // 1000 * 1000)),
    "timestamp": _timestamp,
    "row": _row,
    "list": _list,
    "map": _map,
}
