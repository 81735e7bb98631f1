"""Java's text of numbers and of values whose type it does not know. Runs on workers, and without pyarrow."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Callable, Iterable, Sized
from decimal import Decimal
from typing import Any

__all__ = ["in_hash_order", "object_text", "real_text", "room_for"]


def real_text(value: float, text: str) -> str:
    """Java writes numbers from a thousandth to ten millions plainly, others with an exponent."""
    if value != value or value in (float("inf"), float("-inf")):
        return {"inf": "Infinity", "-inf": "-Infinity"}.get(text, "NaN")
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = text.partition("e")
    whole, _, part = mantissa.partition(".")
    digits, point = whole + part, len(whole) + int(exponent or 0)
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.lstrip("0").rstrip("0")
    if not digits:
        return f"{sign}0.0"
    if 1e-3 <= abs(value) < 1e7:
        shown = f"{'0' * (1 - point)}{digits}" if point <= 0 else digits.ljust(point, "0")
        place = max(point, 1)
        return f"{sign}{shown[:place]}.{shown[place:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def in_hash_order(keys: Iterable[Any], room: int) -> list[Any]:
    """Keys as a HashMap with room for so many gives them."""
    return sorted(keys, key=lambda key: _spread(_hash_code(key)) & (room - 1))


def _spread(code: int) -> int:
    return code ^ (code >> 16)


def _hash_code(value: Any) -> int:
    """Java's hash code of a key, without its sign."""
    if value is None:
        return 0
    if isinstance(value, bool):
        return 1231 if value else 1237
    if isinstance(value, int):
        bits = value & 0xFFFFFFFFFFFFFFFF
        return value & 0xFFFFFFFF if -(2**31) <= value < 2**31 else (bits ^ (bits >> 32)) & 0xFFFFFFFF
    if isinstance(value, float):
        high, low = struct.unpack(">II", struct.pack(">d", value))
        return int(high ^ low)
    code = 0
    for unit in memoryview(str(value).encode("utf-16-le")).cast("H"):
        code = (31 * code + unit) & 0xFFFFFFFF
    return code


def object_text(value: Any) -> str:
    """What Java's `toString` gives for a Python value that it unpickled without knowing its type."""
    for classes, write in _OBJECTS:
        if isinstance(value, classes):
            return write(value)
    if hasattr(value, "__dict__") or not isinstance(value, int | str | Decimal):  # Java sees a map of its attributes
        kind = type(value)
        state = value.__reduce_ex__(2)[2] or {}
        return _dict_text({**state, "__class__": f"{kind.__module__}.{kind.__qualname__}"})
    return str(value)


def _dict_text(value: dict[Any, Any]) -> str:
    # the unpickler takes entries from its stack, the last one first, and moves them to a second map
    order = in_hash_order(in_hash_order(reversed(value), room_for(value)), room_for(value, 8))
    return f"{{{', '.join(f'{object_text(key)}={object_text(value[key])}' for key in order)}}}"


def room_for(entries: Sized, room: int = 16) -> int:
    """The room of a HashMap that grew with its entries."""
    while len(entries) > room * 0.75:
        room *= 2
    return room


def _array_text(value: Any) -> str:
    """An array has no text of its own: Java names its class and a number, which is another one in every run."""
    letter = "B" if isinstance(value, bytes | bytearray) else "Ljava.lang.Object;"
    return f"[{letter}@{id(value) & 0xFFFFFFFF:x}"


def _calendar_text(value: datetime.date) -> str:
    """A Calendar in UTC, of which only the fields that were set are known."""
    time, milliseconds = datetime.time(), "?"
    if isinstance(value, datetime.datetime):
        time, milliseconds = value.time(), str(value.microsecond // 1000)
    return (
        "java.util.GregorianCalendar[time=?,areFieldsSet=false,areAllFieldsSet=false,lenient=true,"
        'zone=sun.util.calendar.ZoneInfo[id="UTC",offset=0,dstSavings=0,useDaylight=false,transitions=0,lastRule=null],'
        f"firstDayOfWeek=1,minimalDaysInFirstWeek=1,ERA=?,YEAR={value.year},MONTH={value.month - 1},WEEK_OF_YEAR=?,"
        f"WEEK_OF_MONTH=?,DAY_OF_MONTH={value.day},DAY_OF_YEAR=?,DAY_OF_WEEK=?,DAY_OF_WEEK_IN_MONTH=?,"
        f"AM_PM={time.hour // 12},HOUR={time.hour % 12},HOUR_OF_DAY={time.hour},MINUTE={time.minute},"
        f"SECOND={time.second},MILLISECOND={milliseconds},ZONE_OFFSET=?,DST_OFFSET=?]"
    )


def _time_text(value: datetime.time) -> str:
    return f"Time: {value.hour} hours, {value.minute} minutes, {value.second} seconds, {value.microsecond} microseconds"


def _span_text(value: datetime.timedelta) -> str:
    return (
        f"Timedelta: {value.days} days, {value.seconds} seconds, {value.microseconds} microseconds "
        f"(total: {value.total_seconds():.15g} seconds)"
    )


def _complex_text(value: complex) -> str:
    real, imaginary = object_text(value.real), object_text(value.imag)
    return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}i"


def _set_text(value: Any) -> str:
    return f"[{', '.join(map(object_text, in_hash_order(value, room_for(value))))}]"


_OBJECTS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (type(None), lambda value: "null"),
    (bool, lambda value: "true" if value else "false"),
    (float, lambda value: real_text(value, repr(value))),
    ((tuple, bytes, bytearray), _array_text),
    (list, lambda value: f"[{', '.join(map(object_text, value))}]"),
    (dict, _dict_text),
    ((set, frozenset), _set_text),
    (datetime.date, _calendar_text),
    (datetime.time, _time_text),
    (datetime.timedelta, _span_text),
    (complex, _complex_text),
)
