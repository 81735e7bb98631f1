"""Which Maven artifact has a connector, a format or a catalog, for a version of Flink."""

from __future__ import annotations

__all__ = ["advice"]


def advice(kind: str, name: str, flink: str) -> str:
    """What to do about a connector that is missing."""
    return f"add the jar with the {kind} {name!r} with --classpath, or to lib of FLINK_HOME"
