"""How long a restart strategy waits where the job does not say."""

from __future__ import annotations

from planner.flink.defaults import EXPONENTIAL_DELAY_MAX, EXPONENTIAL_DELAY_MULTIPLIER, RESTART_DELAY
from planner.flink.difference import Difference
from planner.flink.profile import RestartDefaults

_MINUTE = 60_000

DIFFERENCE: Difference[RestartDefaults] = Difference(
    field="restart_defaults",
    summary="restart strategies without a delay of their own wait for another time",
    since=(
        ("1.18", RestartDefaults(fixed_delay=0, exponential_multiplier=2.0, exponential_longest=5 * _MINUTE)),
        ("1.19", RestartDefaults(fixed_delay=0, exponential_multiplier=1.5, exponential_longest=_MINUTE)),
        (
            "1.20",
            RestartDefaults(
                fixed_delay=RESTART_DELAY,
                exponential_multiplier=EXPONENTIAL_DELAY_MULTIPLIER,
                exponential_longest=EXPONENTIAL_DELAY_MAX,
            ),
        ),
    ),
)
