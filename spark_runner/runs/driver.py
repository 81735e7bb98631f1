"""What a run needs of a driver, wherever that is: in this process, or on the cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from planner.errors import PlanError
from spark_runner.figures.results import Events, RunResult, StageFigures
from spark_runner.figures.tracking import StageCounts

__all__ = ["Driver"]


class Driver(Protocol):
    """One program on one cluster. `start` and `execute` may take long and are called in a thread of their own."""

    application: str | None  # the id on its cluster, once known
    endless: bool  # a stream that only a stop ends: one after --timeout is then no failure

    def start(self) -> None:
        """Get ready to execute."""

    def execute(self, events: Events) -> RunResult:
        """Run the program once, to its end."""

    def refusal_while_starting(self, waited: float) -> PlanError | None:
        """Why to stop waiting for `start`; None: go on waiting."""

    def refusal_while_running(self, waited: float) -> PlanError | None:
        """Why to stop waiting for `execute`; None: go on waiting."""

    def waits_for(self) -> str | None:
        """What keeps the run from going on, in words; None where nothing is known to."""

    def why_lost(self, failure: PlanError) -> PlanError | None:
        """Why nobody is left to try again with after this failure; None where another attempt is possible."""

    def stages(self) -> Iterable[StageCounts]:
        """How far Spark's stages are now."""

    def result_so_far(self) -> RunResult | None:
        """What a run that was ended before its end has counted; None where nothing counts but the end."""

    def with_stages(self, result: RunResult) -> RunResult:
        """The result, with the stages that ran each vertex."""

    def figures(self, stages: Iterable[int]) -> dict[int, StageFigures]:
        """What Spark measured in these stages."""

    def cancel(self) -> str | None:
        """End what runs; it may take a moment until `execute` returns. Tells what of a stream was broken off."""

    def close(self, *, finished: bool) -> None:
        """End the driver."""
