"""Makes a failing job smaller while it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.description import Job, Step

__all__ = ["shrunk"]


def shrunk(job: Job, fails: Callable[[Job], bool], *, tries: int = 60) -> Job:
    """The smallest job found that fails, after at most `tries` runs."""
    while True:
        for smaller in _smaller(job):
            if tries == 0:
                return job
            tries -= 1
            if fails(smaller):
                job = smaller
                break
        else:
            return job


def _smaller(job: Job) -> Iterator[Job]:
    """Jobs with one thing less, the largest steps first."""
    prints = [step for step in job.steps if step.kind == "print"]
    if len(prints) > 1:
        for step in prints:
            yield _kept(job, [one for one in prints if one is not step])
    for step in reversed(job.steps):
        if step.kind not in ("source", "print", "side", "late", "times") and len(step.inputs) >= 1:
            for chosen in step.inputs:
                yield from _without(job, step, chosen)
    for step in job.steps:
        if step.kind == "source" and step["records"]:
            yield from _fewer_records(job, step)
    if job.parallelism > 1:
        lower = {step.id: min(step.parallelism, 1) for step in job.steps}
        yield replace(job, parallelism=1, steps=tuple(replace(s, parallelism=lower[s.id]) for s in job.steps))
    for step in job.steps if job.parallelism == 1 else ():
        moved = step.kind == "ship" or any(job.by_id[number].kind == "ship" for number in step.inputs)
        if step.parallelism > 1 and not moved:
            yield job.with_step(replace(step, parallelism=job.parallelism))


def _fewer_records(job: Job, step: Step) -> Iterator[Job]:
    records = step["records"]
    if step["reads"] == "sequence":
        if len(records) > 1:
            yield job.with_step(replace(step, options={**step.options, "records": records[: len(records) // 2]}))
        return
    half = max(1, len(records) // 2)
    for part in (records[:half], records[half:]) if len(records) > 1 else ([],):
        yield job.with_step(replace(step, options={**step.options, "records": part}))
    if 1 < len(records) <= 6:
        for at in range(len(records)):
            yield job.with_step(replace(step, options={**step.options, "records": records[:at] + records[at + 1 :]}))


def _without(job: Job, step: Step, chosen: int) -> Iterator[Job]:
    """The job in which the readers of a step read one of its inputs. Its side outputs must be unused."""
    readers = list(job.readers_of(step))
    if any(reader.kind in ("side", "late") for reader in readers):
        return
    source = job.by_id[chosen]
    if source.kind in ("ship", "union") and any(reader.kind != "map" for reader in readers):
        return
    steps = tuple(
        replace(one, inputs=tuple(chosen if number == step.id else number for number in one.inputs))
        for one in job.steps
        if one.id != step.id
    )
    if any(
        one.kind in ("filter", "ship", "times") and one.form != source.form for one in steps if chosen in one.inputs
    ):
        return
    made = replace(job, steps=steps)
    yield _kept(made, [one for one in made.steps if one.kind == "print"])


def _kept(job: Job, prints: list[Step]) -> Job:
    """The job of these sinks alone, with what they need."""
    wanted, todo = set(), [step.id for step in prints]
    while todo:
        number = todo.pop()
        if number not in wanted:
            wanted.add(number)
            todo += job.by_id[number].inputs
    return replace(job, steps=tuple(step for step in job.steps if step.id in wanted))
