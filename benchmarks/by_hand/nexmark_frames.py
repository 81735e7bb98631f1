"""The Nexmark queries that are SQL here, as somebody writes them with DataFrames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["QUERIES"]


def _q0(read: Callable[[str], Any]) -> Any:
    return read("bids")


def _q1(read: Callable[[str], Any]) -> Any:
    from pyspark.sql import functions as F

    return read("bids").select("auction", "bidder", (F.col("price") * 0.908).alias("price"), "date_time", "extra")


def _q2(read: Callable[[str], Any]) -> Any:
    return read("bids").where("auction % 123 = 0").select("auction", "price")


def _q3(read: Callable[[str], Any]) -> Any:
    from pyspark.sql import functions as F

    things = read("auctions").where("category = 10")
    near = read("people").where("state IN ('OR', 'ID', 'CA')")
    joined = things.join(near, things["seller"] == near["id"])
    return joined.select("name", "city", "state", F.col("auction"))


QUERIES: dict[str, Callable[[Callable[[str], Any]], Any]] = {"q0": _q0, "q1": _q1, "q2": _q2, "q3": _q3}
