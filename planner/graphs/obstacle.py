"""What a broken chaining condition is called, wherever graphs carry one."""

from __future__ import annotations

from typing import Literal

from planner.records import record

# What an obstacle is about: whoever reasons over obstacles asks for this, not for the codes of rules.
About = Literal[
    "job", "inputs", "slot sharing group", "strategy", "partitioner", "exchange", "parallelism",
    "max parallelism", "source", "other",
]  # fmt: skip
Side = Literal["upstream", "downstream", "both"]


@record
class Obstacle:
    """One condition that does not hold on one edge."""

    code: str
    slug: str
    values: str  # what was found: "parallelism 2 -> 4"
    change: str | None  # the smallest change of the job that removes it; None where nothing should
    needed: bool  # the exchange is needed for the result (a keyed exchange): chaining would be wrong
    settings: tuple[str, ...] = ()  # the same change for `--set`; empty where `--set` cannot make it
    about: About = "other"
    side: Side = "both"  # the operator whose setting is in the way
    consequence: bool = False  # goes away together with another obstacle of the same edge


def to_remove(obstacles: tuple[Obstacle, ...]) -> tuple[Obstacle, ...]:
    """The obstacles that have to be removed; the consequences of others go away with these."""
    causes = tuple(obstacle for obstacle in obstacles if not obstacle.consequence)
    return causes or obstacles
