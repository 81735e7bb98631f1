"""Random jobs, cut into batches at random places, against a plain-Python reference: no cut changes the result."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.stream_engine import StreamEngine
from tests.support.stream_jobs import KEYED, random_job
from tests.support.stream_reference import Reference


def expected(seed: int, kind: str) -> dict[int, list[tuple[int, object]]]:
    """What the reference's sinks get, by stream node."""
    return Reference(random_job(seed, kind)).run()


def sunk(engine: StreamEngine, cuts: list[int]) -> dict[int, list[tuple[int, object]]]:
    """What the engine's sinks get, by stream node."""
    found = engine.run(cuts)
    return {sink.node: found[sink.number] for sink in engine.job.sinks if found[sink.number]}


@pytest.mark.parametrize("kind", KEYED)
@pytest.mark.parametrize("seed", range(20))
def test_every_cut_gives_what_the_reference_gives(seed: int, kind: str) -> None:
    wanted = expected(seed, kind)
    random = Random(seed)
    engine = StreamEngine(random_job(seed, kind))
    size = engine.size
    cuts = sorted(random.sample(range(size), min(size, random.randint(0, 6))))
    assert sunk(engine, cuts) == wanted
    if seed % 10 == 0:
        assert sunk(StreamEngine(random_job(seed, kind)), list(range(size))) == wanted
