"""One way to run a streaming job on the local session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from planner.job import JobDefinition
from planner.pipeline import plan
from spark_runner.figures.results import Event, PrintedRecord, RunResult
from spark_runner.lowering.lower import lower
from spark_runner.streaming.checkpoint import Checkpoint


@dataclass(kw_only=True)
class StreamOutcome:
    """What one attempt gave."""

    printed: dict[str, list[tuple[int | None, str]]] = field(default_factory=dict)
    batches: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    result: RunResult | None = None

    def texts(self, operator: str) -> list[str]:
        """What a print sink got, in order."""
        return [text for _, text in self.printed.get(operator, ())]


Running = Callable[..., StreamOutcome]


@pytest.fixture
def stream(spark: Any, tmp_path: Path) -> Running:
    """Runs a job on a checkpoint; `until` ends an unbounded one when it is true of what there is so far."""
    from spark_runner.streaming.execute import StreamOptions, StreamRun

    def running(
        job: JobDefinition,
        *,
        checkpoint: str = "checkpoint",
        until: Callable[[StreamOutcome], bool] | None = None,
        lost: frozenset[str] = frozenset(),
        **options: Any,
    ) -> StreamOutcome:
        outcome = StreamOutcome()
        program = lower(plan(job), "streaming")
        kept = Checkpoint(tmp_path / checkpoint, lost=lost)
        kept.claim("test")

        def told(event: Event) -> None:
            if isinstance(event, PrintedRecord):
                outcome.printed.setdefault(event.operator, []).append((event.subtask, event.text))

        def taken(batch: int, figures: list[dict[str, Any]]) -> None:
            outcome.batches[batch] = figures
            if until is not None and until(outcome):
                attempt.halt()

        try:
            kept.check(program.chunks)
            attempt = StreamRun(program, spark, kept, StreamOptions(**options), events=told, taken=taken)
            outcome.result = attempt.run()
        finally:
            kept.release()
        return outcome

    return running
