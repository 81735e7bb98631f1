"""Keys as bytes: keys that are equal in Python give equal bytes in every process. Standard library only."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import io
import numbers
import operator
import pickle
from typing import Any

__all__ = ["NAN", "key_bytes", "one_nan"]

NAN = float("nan")
_WRITTEN_IN_PYTHON = 1 << 9  # CPython's flag of classes that a class statement made


def one_nan(key: Any) -> Any:
    """The key itself, or the one NaN that stands for all of them: Flink sees one key, Python's are never equal."""
    if isinstance(key, tuple):
        parts = [one_nan(part) for part in key]
        return key if all(map(operator.is_, parts, key)) else tuple.__new__(key.__class__, parts)
    return NAN if key.__class__ is float and key != key else key


def key_bytes(key: Any) -> bytes:
    """The key as bytes to hash, compare and sort by."""
    kind: type = key.__class__
    if kind is str:
        return b"s" + str.encode(key, "utf-8", "surrogatepass")
    if kind is int or kind is bool:
        return b"i%d" % key
    if kind is float:
        return _of_float(key)
    if key is None:
        return b"n"
    if kind is bytes:
        return b"b%b" % key
    if isinstance(key, tuple | list):
        return b"t" + _joined([key_bytes(part) for part in key])
    return _of_another(key)


def _of_another(key: Any) -> bytes:
    if isinstance(key, str):  # whatever its class writes: it is equal to the text it holds
        return b"s" + str.encode(key, "utf-8", "surrogatepass")
    if isinstance(key, bytes):
        return b"b%b" % key
    if isinstance(key, numbers.Number | decimal.Decimal):
        return _of_number(key)
    if isinstance(key, enum.Enum):
        return b"e" + _joined([_class_name(key), key.name.encode()])
    if isinstance(key, frozenset | set):
        return b"S" + _joined(sorted(map(key_bytes, key)))
    if isinstance(key, dict):
        return b"m" + _joined(sorted(key_bytes(item) for item in key.items()))
    if isinstance(key, datetime.datetime):
        moment = key.astimezone(datetime.UTC) if key.tzinfo is not None else key
        return b"d" + moment.isoformat().encode()
    if dataclasses.is_dataclass(key):
        fields = [key_bytes(getattr(key, one.name)) for one in dataclasses.fields(key) if one.compare]
        return b"o" + _joined([_class_name(key), *fields])
    if hasattr(key, "_values"):
        return key_bytes(tuple(key._values))
    if _is_attributes(key):  # a class of the job's own file has no name by which it could be pickled
        return b"o" + _joined([_class_name(key), key_bytes(key.__getstate__())])
    return b"p" + _without_memo(key)


def _is_attributes(key: Any) -> bool:
    """Whether it is an object of a class written in Python that is no more than its attributes."""
    kind: Any = type(key)
    same = all(getattr(kind, name) is getattr(object, name) for name in ("__reduce_ex__", "__reduce__", "__getstate__"))
    return same and bool(kind.__flags__ & _WRITTEN_IN_PYTHON) and not isinstance(key, type)


def _joined(parts: list[bytes]) -> bytes:
    return b"".join(b"%d:%b" % (len(part), part) for part in parts)


def _class_name(key: Any) -> bytes:
    return type(key).__qualname__.encode()


def _of_float(key: float) -> bytes:
    if key.is_integer():
        return b"i%d" % int(key)
    return b"f" + repr(key + 0.0).encode()


def _of_number(key: Any) -> bytes:
    """Numbers of other classes, by the same bytes as the int or the float that they are equal to."""
    if isinstance(key, numbers.Integral):
        return b"i%d" % int(key)
    if isinstance(key, float):
        return _of_float(float(key))
    if isinstance(key, decimal.Decimal):
        if key.is_nan():
            return b"fnan"
        if key.is_finite() and key == key.to_integral_value() and key.adjusted() < 400:
            return b"i%d" % int(key)
        near = float(key)
        return _of_float(near) if near == key else b"D" + str(key.normalize()).encode()
    if isinstance(key, numbers.Rational):
        near = int(key.numerator) / int(key.denominator)
        return _of_float(near) if near == key else b"R%d/%d" % (key.numerator, key.denominator)
    if isinstance(key, numbers.Real):  # numpy's of 16 and of 32 bits
        near = float(key)
        return _of_float(near) if near == key or near != near else b"p" + _without_memo(key)
    if isinstance(key, numbers.Complex) and key.imag == 0:
        return key_bytes(key.real)
    return b"p" + _without_memo(key)


def _without_memo(key: Any) -> bytes:
    # a pickle's memo depends on which parts are the same object, so equal keys could differ
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=5)
    pickler.fast = True
    pickler.dump(key)
    return buffer.getvalue()
