"""Whether a session talks to a Spark Connect server or has a JVM of its own."""

from __future__ import annotations

from typing import Any


def is_connect(spark: Any) -> bool:
    """Whether the session talks to a Spark Connect server."""
    return type(spark).__module__.startswith("pyspark.sql.connect")
