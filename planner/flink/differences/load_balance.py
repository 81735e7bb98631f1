"""The values that `taskmanager.load-balance.mode` takes; before 1.19 a flag of another name said none or slots."""

from __future__ import annotations

from planner.flink.difference import Difference
from planner.flink.profile import LoadBalanceMode

DIFFERENCE: Difference[tuple[LoadBalanceMode, ...]] = Difference(
    field="load_balance_modes",
    summary="more ways to share subtasks out over task managers (taskmanager.load-balance.mode)",
    since=(
        ("1.18", ("none", "slots")),
        ("2.1", ("none", "slots", "min-resources")),
        ("2.2", ("none", "slots", "min-resources", "tasks")),
    ),
)
