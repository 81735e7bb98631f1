"""Counts of a streaming run: exact, also where a batch ran twice."""

from __future__ import annotations

import json

from planner import StreamExecutionEnvironment
from planner.pipeline import plan
from spark_runner.figures.totals import Totals
from spark_runner.lowering.lower import lower
from tests.support.stream_engine import StreamEngine


def test_a_batch_that_runs_again_replaces_its_own_figures() -> None:
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    numbers = env.from_sequence(1, 10)
    kept = numbers.filter(lambda n: n % 2 == 0).key_by(lambda n: n % 3).reduce(lambda a, b: a + b)
    kept.print()
    job = env.build("counted")
    engine = StreamEngine(job)
    engine.run([])
    figures = [json.loads(blob) for blob in engine.figures]
    totals = Totals(engine.job, lower(plan(job), "streaming"))
    totals.take(0, figures)
    totals.take(0, figures)
    counts = {o.key: (o.records_in, o.records_out) for v in totals.result().vertices for o in v.operators}
    assert counts == {"source-1": (0, 10), "filter-1": (10, 5), "reduce-1": (5, 5), "print-1": (5, 0)}
    assert totals.result().sinks[0].records == 5
