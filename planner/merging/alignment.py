"""Alignment: PyFlink's helper operators take the place of their neighbours, so that they can run with them.

One pass over the registered transformations in their order, before anything merges. It goes by names, as PyFlink does:
a values operator takes the settings of what reads it, a key-by or custom-partition map those of what it reads, and a
FORWARD partition ties the two together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from planner.errors import PlanningError
from planner.job import Operator, Transformation
from planner.merging.workspace import Workspace, inputs_of

__all__ = ["KEY_BY_MAP", "PARTITION_CUSTOM_MAP", "VALUES", "align"]

KEY_BY_MAP: Final = "_stream_key_by_map_operator"
PARTITION_CUSTOM_MAP: Final = "_partition_custom_map_operator"
VALUES: Final = "_keyed_stream_values_operator"


def align(work: Workspace) -> None:
    """Move the helper operators of all registered transformations."""
    for identity in work.registered:
        step = work.steps[identity]
        if not inputs_of(step):
            continue
        before = inputs_of(step)[0]
        if _named(work.steps[before], VALUES):
            _take_place_of_consumer(work, before, identity)
        if _named(step, KEY_BY_MAP, PARTITION_CUSTOM_MAP):
            _take_place_of_producer(work, identity, before)


def _named(step: Transformation, *names: str) -> bool:
    return isinstance(step, Operator) and step.kind != "source" and step.name in names


def _take_place_of_consumer(work: Workspace, values: int, consumer: int) -> None:
    helper, reader = work.steps[values], work.steps[consumer]
    assert isinstance(helper, Operator)
    if len(inputs_of(reader)) > 1:
        raise PlanningError(
            f"PyFlink cannot compile {_label(reader)} after partition_custom or a keyed stream's values: it fails "
            "with NoSuchFieldException: input",
            location=reader.location,
            hint="put a map() between partition_custom() and connect(), or give partition_custom a name()",
        )
    placed = _placed(reader, helper)
    work.steps[values] = replace(
        helper,
        slot_sharing_group=placed.slot_sharing_group,
        slot_resources=placed.slot_resources,
        co_location_group=getattr(reader, "co_location_group", None),
        parallelism=work.parallelism(consumer),
        parallelism_inherited=True,
    )
    work.read(consumer, (work.forward(values, reader.location),))


def _take_place_of_producer(work: Workspace, helper: int, producer: int) -> None:
    step, read = work.steps[helper], work.steps[producer]
    assert isinstance(step, Operator)
    placed = _placed(read, step)
    work.steps[helper] = replace(
        step,
        slot_sharing_group=placed.slot_sharing_group,
        slot_resources=placed.slot_resources,
        co_location_group=getattr(read, "co_location_group", None),
        parallelism=work.parallelism(producer),
        parallelism_inherited=True,
    )
    work.read(helper, (work.forward(producer, step.location),))


def _placed(neighbour: Transformation, helper: Operator) -> Operator:
    """Whose slot sharing group a helper has: its neighbour's, or its own where the neighbour has none."""
    return neighbour if isinstance(neighbour, Operator) and neighbour.slot_sharing_group else helper


def _label(step: Transformation) -> str:
    return step.key if isinstance(step, Operator) else type(step).__name__
