"""Keys without a declared type as bytes: equal keys give equal bytes in every process. Standard library only."""

from __future__ import annotations

import io
import pickle
from typing import Any


def key_bytes(key: Any) -> bytes:
    """The key as bytes to hash, compare and sort by."""
    kind: type = key.__class__
    if kind is str:
        return b"s" + str.encode(key, "utf-8", "surrogatepass")
    if kind is int or kind is bool:
        return b"i%d" % key
    if kind is float:
        return b"i%d" % int(key) if key.is_integer() else b"f" + repr(key).encode()
    if key is None:
        return b"n"
    if kind is bytes:
        return b"b%b" % key
    if isinstance(key, tuple | list):
        parts = [key_bytes(part) for part in key]
        return b"t" + b"".join(b"%d:%b" % (len(part), part) for part in parts)
    if isinstance(key, str):
        return b"s" + str(key).encode("utf-8", "surrogatepass")
    if hasattr(key, "_values"):
        return key_bytes(tuple(key._values))
    return b"p" + _without_memo(key)


def _without_memo(key: Any) -> bytes:
    # a pickle's memo depends on which parts are the same object, so equal keys could differ
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=5)
    pickler.fast = True
    pickler.dump(key)
    return buffer.getvalue()
