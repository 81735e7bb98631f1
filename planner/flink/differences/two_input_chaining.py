"""Whether an operator with two inputs starts a chain of its own.

`co_map`, `co_flat_map` and `co_process`, keyed or not, that say nothing of chaining had the strategy HEAD before Flink
2.0 and have ALWAYS since. Two inputs are an obstacle of their own, so no edge chains or breaks by it.
"""

from __future__ import annotations

from planner.flink.difference import Difference
from planner.flink.profile import TwoInputStrategy

DIFFERENCE: Difference[TwoInputStrategy] = Difference(
    field="two_input_strategy",
    summary="operators with two inputs have the chaining strategy ALWAYS, not HEAD, where the job sets none",
    since=(("1.18", "HEAD"), ("2.0", "ALWAYS")),
)
