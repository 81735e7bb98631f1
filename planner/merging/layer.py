"""The Python layer as one stage: a PyFlink job as its script built it in, the job that Flink gets out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from planner.errors import PlanningError
from planner.flink.differences import flink as flink_profile
from planner.graphs.stream_building import runs_in_batch_mode
from planner.job import JobDefinition, Operator, Transformation, Union
from planner.merging.alignment import align
from planner.merging.merge import Merger, flattened
from planner.merging.pairs import PairVerdict, unmerged_pairs
from planner.merging.workspace import Workspace, inputs_of
from planner.records import record

__all__ = ["COLLECT_SINK", "Merging", "compile_python_layer"]

COLLECT_SINK: Final = "Data stream collect sink"


@record(slots=False)
class Merging:
    """What the Python layer did to a job."""

    job: JobDefinition  # as Flink gets it
    written: JobDefinition  # as the script built it
    apart: tuple[PairVerdict, ...]  # neighbouring Python operators that were not merged
    dropped: tuple[Operator, ...]  # operators of the script that are not part of the job (execute_and_collect)
    left: tuple[Transformation, ...]  # every transformation as it stands now: a next job may read them
    registered: tuple[int, ...]  # what stays registered while nothing is executed
    remembered: Mapping[int, int]  # the parallelism that virtual transformations remember

    @property
    def merged(self) -> tuple[Operator, ...]:
        """The operators that were made of several."""
        return tuple(operator for operator in self.job.operators if operator.merged)


def compile_python_layer(job: JobDefinition) -> Merging:
    """Align and merge the Python operators of a job."""
    work = Workspace(job)
    align(work)
    merger = Merger(work)
    roots = merger.run(_roots(work)) if work.layer.merge else list(work.registered)
    if work.layer.collect is not None:
        roots.append(_collect(work, merger.latest(work.layer.collect)))
    _write_caches(work)
    finished = work.reachable([*_cache_writers(work, roots), *roots])
    for identity in finished:
        step = work.steps[identity]
        if isinstance(step, Operator) and step.merged:
            work.steps[identity] = flattened(step)
    merged = replace(
        job, transformations=tuple(_settled(work, identity) for identity in finished), python=None, next_id=work.next_id
    )
    _refuse_two_resources(merged)
    return Merging(
        job=merged,
        written=job,
        apart=unmerged_pairs(work, merger.consumers, finished),
        dropped=_dropped(work, merged),
        left=tuple(work.steps.values()),
        registered=tuple(roots),
        remembered=work.remembered,
    )


def _refuse_two_resources(job: JobDefinition) -> None:
    """Flink refuses a slot sharing group that two operators give different resources."""
    known: dict[str, Operator] = {}
    for operator in job.operators:
        if operator.slot_sharing_group is None or operator.slot_resources is None:
            continue
        first = known.setdefault(operator.slot_sharing_group, operator)
        if first.slot_resources != operator.slot_resources:
            raise PlanningError(
                f"The slot sharing group {operator.slot_sharing_group} has been configured with two different resource "
                f"specs: {first.slot_resources} ({first.key}) and {operator.slot_resources} ({operator.key})",
                location=operator.location,
                hint="give all its operators the same SlotSharingGroup object",
            )


def _roots(work: Workspace) -> list[int]:
    return list(work.registered) if work.layer.collect is None else [work.layer.collect]


def _collect(work: Workspace, stream: int) -> int:
    """The sink of execute_and_collect, which is made after the merge."""
    identity = work.take_id()
    work.steps[identity] = Operator(
        id=identity,
        key="execute_and_collect",
        kind="sink",
        location=work.job.location,
        inputs=(stream,),
        name=COLLECT_SINK,
        uid=f"dataStreamCollect_{identity}" if flink_profile(work.job.flink).collect_sink_has_uid else None,
        parallelism=1,
        helper="collect",
    )
    return identity


def _write_caches(work: Workspace) -> None:
    """In batch mode, turn every cached stream into a Java operator beside those who read it."""
    cached = [step for step in work.steps.values() if isinstance(step, Union) and step.cached]
    if not cached or not runs_in_batch_mode(work.job):
        return
    for step in cached:
        for reader, read in list(work.steps.items()):
            if step.id in inputs_of(read):
                work.read(reader, tuple(step.inputs[0] if i == step.id else i for i in inputs_of(read)))
        work.steps[step.id] = Operator(
            id=step.id, key=f"cache-{step.id}", kind="process", location=step.location, inputs=step.inputs,
            name="CacheWrite", chaining="start_new", parallelism=work.parallelism(step.id), parallelism_inherited=True,
        )  # fmt: skip


def _cache_writers(work: Workspace, roots: list[int]) -> list[int]:
    """The writers of the caches that the job reaches; Flink meets each before those who read the stream."""
    reached = set(work.reachable(roots))
    return [
        step.id
        for step in work.steps.values()
        if isinstance(step, Operator) and step.name == "CacheWrite" and step.inputs[0] in reached
    ]


def _settled(work: Workspace, identity: int) -> Transformation:
    """A transformation with its parallelism written down: nothing is inherited after this stage."""
    step = work.steps[identity]
    if not isinstance(step, Operator) or step.parallelism is not None or (step.kind == "source" and not step.parallel):
        return step
    return replace(step, parallelism=work.parallelism(identity), parallelism_inherited=True)


def _dropped(work: Workspace, merged: JobDefinition) -> tuple[Operator, ...]:
    """The operators of the script that no result of the job comes through."""
    kept = {part.id for operator in merged.operators for part in (operator.merged or (operator,))}
    found = (work.steps[identity] for identity in work.reachable(work.layer.registered))
    operators = (step for step in found if isinstance(step, Operator))
    parts = (part for step in operators for part in (flattened(step).merged if step.merged else (step,)))
    return tuple(part for part in parts if part.id not in kept)
