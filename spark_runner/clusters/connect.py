"""Sessions on Spark Connect servers: which ones are, and how one is found again."""

from __future__ import annotations

from typing import Any


def is_connect(spark: Any) -> bool:
    """Whether the session talks to a Spark Connect server."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def attach(url: str, session: str) -> Any:
    """The session of another client on a server, by its id."""
    from pyspark.sql.connect.session import SparkSession

    return SparkSession.builder.remote(f"{url.rstrip('/')}/;session_id={session}").create()
