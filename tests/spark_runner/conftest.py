"""One way to run a job on the tests' Spark session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from planner.job import JobDefinition
from planner.pipeline import plan
from spark_runner.figures.results import Event, PrintedRecord, RunResult
from spark_runner.lowering.lower import lower


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")


@dataclass(frozen=True, kw_only=True)
class Run:
    """A finished run: what was printed by sink, and the figures."""

    printed: dict[str, Counter[str]]
    order: dict[str, list[str]]
    result: RunResult
    events: list[Event]

    @property
    def counts(self) -> dict[str, tuple[int | None, int | None]]:
        """Records in and out by operator."""
        return {o.key: (o.records_in, o.records_out) for v in self.result.vertices for o in v.operators}


@pytest.fixture
def run(spark: Any) -> Callable[[JobDefinition], Run]:
    from spark_runner.batch.execute import execute

    def running(job: JobDefinition) -> Run:
        events: list[Event] = []
        result = execute(lower(plan(job)), spark, events=events.append)
        order: dict[str, list[str]] = {}
        for event in events:
            if isinstance(event, PrintedRecord):
                order.setdefault(event.operator, []).append(event.text)
        return Run(printed={k: Counter(v) for k, v in order.items()}, order=order, result=result, events=events)

    return running
