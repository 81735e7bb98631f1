"""Names as Spark SQL reads them."""

from __future__ import annotations

__all__ = ["quoted"]


def quoted(name: str) -> str:
    """A column's name as Spark reads it literally."""
    return "`" + name.replace("`", "``") + "`"
