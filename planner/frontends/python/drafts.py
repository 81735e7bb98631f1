"""Transformations of a PyFlink script while it still sets them, and freezing them into a job definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from planner.frontends.python.values.types import TypeInformation
from planner.frontends.python_files.places import caller_line, shown
from planner.job import Location, Operator, Partition, PythonRun, SideOutput, Transformation, Union

__all__ = ["Draft", "freeze", "reachable"]


_JAVA_ONLY: Final = frozenset({"RowDataTypeInfo", "GenericRecordAvroTypeInfo"})


@dataclass(slots=True, eq=False)
class Draft:
    """One transformation under construction."""

    id: int
    form: type[Any]  # Operator, Union, Partition or SideOutput
    inputs: list[Draft]
    arguments: dict[str, Any]
    label: str  # the beginning of its key: "map" in "map-2"
    record_type: TypeInformation
    inherited: int  # parallelism where none is set on it: the environment's when it was made, or its input's
    location: Location
    fixed: bool = False  # cannot run in parallel
    source_lines: list[tuple[str, int]] = field(default_factory=list)

    @classmethod
    def made_here(
        cls, identity: int, form: type[Any], inputs: list[Draft], arguments: dict[str, Any], label: str,
        record_type: TypeInformation, inherited: int,
    ) -> Draft:  # fmt: skip
        """A draft that remembers the user's line."""
        line = caller_line()
        place = Location(shown(line[0]), line[1])
        return cls(identity, form, inputs, arguments, label, record_type, inherited, place, source_lines=[line])

    @property
    def python_type(self) -> TypeInformation:
        """The type of its records, where PyFlink asks Java for it. Some types of Java's it does not know."""
        if type(self.record_type).__name__ in _JAVA_ONLY:
            raise TypeError(f"The java type info: {self.record_type} is not supported in PyFlink currently.")
        return self.record_type

    @property
    def parallelism(self) -> int:
        """The parallelism it has now."""
        return int(self.arguments.get("parallelism") or self.inherited)


def reachable(roots: Iterable[Draft]) -> list[Draft]:
    """Some drafts and everything they read, by id."""
    found: dict[int, Draft] = {}
    waiting = list(roots)
    while waiting:
        current = waiting.pop()
        if current.id not in found:
            found[current.id] = current
            waiting.extend(current.inputs)
    return [found[identity] for identity in sorted(found)]


def freeze(drafts: Iterable[Draft], parallelism: int, *, numbered: bool, runs: bool) -> tuple[Transformation, ...]:
    """The transformations of drafts; `numbered` keeps PyFlink's ids, else they count from 1. `runs` adds what a run of
    PyFlink operators needs.

    An operator that has the job's own parallelism from its environment says nothing about it, so that a change of the
    job's parallelism reaches it.
    """
    drafts = list(drafts)
    ids = {draft.id: draft.id if numbered else place for place, draft in enumerate(drafts, start=1)}
    counts: Counter[str] = Counter()
    taken: set[str] = set()
    return tuple(_frozen(draft, ids, _key(draft, counts, taken), parallelism, runs) for draft in drafts)


def _key(draft: Draft, counts: Counter[str], taken: set[str]) -> str:
    if draft.form is not Operator:
        return ""
    counts[draft.label] += 1
    plain = f"{draft.label}-{counts[draft.label]}"
    uid = draft.arguments.get("uid")
    key = uid if uid and uid not in taken else plain  # Flink 1.x takes an empty uid
    taken.add(key)
    return key


def _frozen(draft: Draft, ids: dict[int, int], key: str, parallelism: int, runs: bool) -> Transformation:
    identity = ids[draft.id]
    inputs = tuple(ids[read.id] for read in draft.inputs)
    if draft.form is Operator:
        arguments = dict(draft.arguments)
        if "parallelism" not in arguments and draft.inherited != parallelism and not draft.fixed:
            arguments |= {"parallelism": draft.inherited, "parallelism_inherited": True}
        run = arguments.pop("run", None)
        if runs:
            arguments["run"] = replace(run or PythonRun(), record_type=draft.record_type)
        return Operator(id=identity, key=key, inputs=inputs, location=draft.location, **arguments)
    if draft.form is Union:
        return Union(id=identity, inputs=inputs, location=draft.location, **draft.arguments)
    if draft.form is Partition:
        return Partition(id=identity, input=inputs[0], location=draft.location, **draft.arguments)
    return SideOutput(id=identity, input=inputs[0], location=draft.location, **draft.arguments)
