"""A job of our own Python API as PyFlink would compile it: `plan explain job.py --api pyflink`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from planner.frontends.pyflink.drafts import Draft
from planner.frontends.pyflink.environment import StreamExecutionEnvironment
from planner.frontends.pyflink.values.types import (
    OutputTag,
    PickledBytesTypeInfo,
    RowTypeInfo,
    TypeInformation,
    Types,
)
from planner.frontends.pyflink.values.watermarks import WatermarkStrategy
from planner.job import Collection, JobDefinition, Location, Partition, SideOutput, Union, Watermarks

__all__ = ["replay"]

_NAMES = {
    "map": "Map", "flat_map": "FlatMap", "filter": "Filter", "process": "PROCESS", "async_map": "async wait operator",
    "sum": "Reduce", "min": "Reduce", "max": "Reduce", "reduce": "Reduce", "co_map": "Co-Map",
    "co_flat_map": "Co-Flat Map", "co_process": "Co-Process",
}  # fmt: skip
_KEYED_NAMES = {"process": "KEYED PROCESS", "co_process": "Keyed Co-Process"}
_WINDOWS = {
    "tumbling": "TumblingEventTimeWindows", "sliding": "SlidingEventTimeWindows", "session": "EventTimeSessionWindows"
}  # fmt: skip
_KEEP_TYPE = frozenset({"filter", "sum", "min", "max", "reduce"})


class Step(Protocol):
    """A call that our own API recorded."""

    form: type[Any]
    inputs: tuple[Any, ...]
    arguments: dict[str, Any]
    location: Location


def replay(
    steps: Sequence[Step], settings: Mapping[str, Any], options: Mapping[str, Any], location: Location
) -> JobDefinition:
    """The job that PyFlink would make of these calls."""
    environment = StreamExecutionEnvironment()
    known = {key: value for key, value in settings.items() if value is not None}
    if "parallelism" in known:
        environment._parallelism_origin = known.pop("parallelism_origin", "set_parallelism")
    environment._settings.update(known)
    environment._options.update(options)
    player = _Player(environment)
    for step in steps:
        player.play(step)
    return environment.job_of(settings.get("name"), location)


class _Player:
    """Makes every recorded call again, on PyFlink's terms."""

    def __init__(self, environment: StreamExecutionEnvironment) -> None:
        self.environment = environment
        self.calls = environment._calls
        self.results: dict[int, Draft] = {}  # by the identity of the step
        self.types: dict[int, TypeInformation] = {}  # of keyed streams: of the records before key_by

    def play(self, step: Step) -> None:
        """One call: its helpers stand at the user's line too."""
        first = self.environment._ledger.next_id
        made = self.make(step, [self.results[id(read)] for read in step.inputs])
        for identity in range(first, self.environment._ledger.next_id):
            self.environment._ledger.drafts[identity].location = step.location
        self.results[id(step)] = made

    def make(self, step: Step, inputs: list[Draft]) -> Draft:
        """The transformations of one call; the last one is its result."""
        if step.form is Union:
            return self.calls.union(inputs)
        if step.form is SideOutput:
            return self.calls.side_output(inputs[0], OutputTag(step.arguments["tag"]))
        if step.form is Partition:
            return self.partition(step, inputs[0])
        return self.operator(step, inputs)

    def partition(self, step: Step, source: Draft) -> Draft:
        arguments = dict(step.arguments)
        kind = arguments.pop("partitioner")
        if kind == "CUSTOM":
            return self.calls.partition_custom(source, arguments.get("custom"), arguments.get("key_selector"))
        if kind != "HASH":
            return self.calls.partition(source, kind)
        keyed = self.calls.key_by(source, None, PickledBytesTypeInfo())
        keyed.arguments |= {key: value for key, value in arguments.items() if value}
        self.types[keyed.id] = source.record_type
        return keyed

    def operator(self, step: Step, inputs: list[Draft]) -> Draft:
        arguments = {key: value for key, value in step.arguments.items() if key != "kind"}
        kind = step.arguments["kind"]
        if kind == "source":
            return self.source(step, arguments)
        if kind == "print":
            return _set(self.calls.print(self.plain(inputs[0]), None), arguments)
        if kind == "watermarks":
            return self.watermarks(inputs[0], arguments)
        if kind in ("sink", "multi_input"):
            return _set(self.calls.operator(inputs, kind, inputs[0].record_type), arguments)
        keyed = all(read.id in self.types for read in inputs)
        name = arguments.pop("name", None) or _name(kind, keyed, arguments)
        made = self.calls.operator(
            inputs, kind, self.result_type(step, kind, inputs[0]), name=name, python="keyed" if keyed else "plain"
        )
        return _set(made, arguments)

    def result_type(self, step: Step, kind: str, read: Draft) -> TypeInformation:
        before = self.types.get(read.id, read.record_type)
        return before if kind in _KEEP_TYPE and step.arguments.get("output") is None else _type(step)

    def plain(self, draft: Draft) -> Draft:
        return self.calls.values(draft, self.types[draft.id]) if draft.id in self.types else draft

    def source(self, step: Step, arguments: dict[str, Any]) -> Draft:
        behaviour = arguments.get("behaviour")
        if isinstance(behaviour, Collection):
            made = self.calls.collection(list(behaviour.records), _type(step))
            return _set(made, {key: value for key, value in arguments.items() if key != "parallelism"})
        return _set(self.calls.operator([], "source", _type(step)), arguments)

    def watermarks(self, source: Draft, arguments: dict[str, Any]) -> Draft:
        found = arguments.pop("behaviour", None)
        strategy = WatermarkStrategy("bounded")
        if isinstance(found, Watermarks):
            strategy.out_of_orderness = found.out_of_orderness
            strategy._timestamp_assigner = found.assigner.target if found.assigner else None
        return _set(self.calls.watermarks(source, strategy), arguments)


def _set(draft: Draft, arguments: Mapping[str, Any]) -> Draft:
    draft.arguments.update({key: value for key, value in arguments.items() if value is not None})
    return draft


def _name(kind: str, keyed: bool, arguments: Mapping[str, Any]) -> str:
    if kind == "window_reduce":
        return _WINDOWS.get(getattr(arguments.get("behaviour"), "assigner", ""), "TumblingEventTimeWindows")
    return _KEYED_NAMES[kind] if keyed and kind in _KEYED_NAMES else _NAMES[kind]


def _type(step: Step) -> TypeInformation:
    """PyFlink's type for what our API declares as columns: one unnamed column is that type, several are a row."""
    declared = step.arguments.get("output")
    if declared is None:
        return PickledBytesTypeInfo()
    return RowTypeInfo([]) if " " in declared.strip() else Types.STRING()  # type: ignore[attr-defined]
