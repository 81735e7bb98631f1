"""The large jobs that are measured and that the tests plan, as data of the YAML format.

`benchmarks/flink/FlinkPlanTimes.java` defines the same jobs, operator for operator, with Flink's own API.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Job = dict[str, Any]


def row(size: int) -> Job:
    """Operators in a row, all in one chain: source, maps, sink."""
    maps = [{"id": f"map {i}", "type": "map", "input": f"map {i - 1}"} for i in range(1, size - 1)]
    return {
        "name": "row",
        "operators": [
            {"id": "map 0", "type": "source"},
            *maps,
            {"id": "sink", "type": "sink", "input": f"map {size - 2}"},
        ],
    }


def unchained_row(size: int) -> Job:
    """Operators in a row, each a task of its own."""
    return row(size) | {"name": "unchained row", "chaining": False}


def pipelines(size: int) -> Job:
    """Pipelines side by side, each with a keyed exchange."""
    operators: list[Job] = []
    for i in range(size):
        operators += [
            {"id": f"source {i}", "type": "source"},
            {"id": f"map {i}", "type": "map", "input": f"source {i}"},
            {"id": f"reduce {i}", "type": "reduce", "input": f"map {i}", "key_by": "key"},
            {"id": f"sink {i}", "type": "sink", "input": f"reduce {i}"},
        ]
    return {"name": "pipelines", "parallelism": 2, "operators": operators}


def wide(size: int) -> Job:
    """Ten vertices of `size` subtasks, every one connected with every one of the next vertex."""
    operators: list[Job] = [{"id": "map 0", "type": "source"}]
    for i in range(1, 9):
        operators.append({"id": f"map {i}", "type": "map", "input": {"from": f"map {i - 1}", "partition": "rebalance"}})
    operators.append({"id": "sink", "type": "sink", "input": {"from": "map 8", "partition": "rebalance"}})
    return {"name": "wide", "parallelism": size, "operators": operators}


SHAPES: dict[str, Callable[[int], Job]] = {
    "row": row,
    "unchained_row": unchained_row,
    "pipelines": pipelines,
    "wide": wide,
}
SIZES = {"row": 20_000, "unchained_row": 20_000, "pipelines": 2_000, "wide": 10_000}
