"""Names and constants as Spark SQL reads them."""

from __future__ import annotations

import math
import re

__all__ = ["literal", "quoted"]

_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;/+*=<>()\[\]{}!?@#%&|~^$-]*\Z")  # means the same whatever Spark's settings are
_LONG = 1 << 63


def quoted(name: str) -> str:
    """A column's name as Spark reads it literally."""
    return "`" + name.replace("`", "``") + "`"


def literal(value: bool | int | float | str | None) -> str | None:
    """A Python constant as SQL; None where Spark has no such value."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)" if math.isfinite(value) else None
    return _text(value)


def _whole(value: int) -> str | None:
    if not -_LONG < value < _LONG:
        return None
    return f"{value}L" if value >= 0 else f"(-{-value}L)"


def _text(value: str) -> str | None:
    if _PLAIN.match(value):
        return f"'{value}'"
    try:
        return f"CAST(X'{value.encode().hex()}' AS STRING)"  # no escapes, so no setting can change what it says
    except UnicodeEncodeError:
        return None
