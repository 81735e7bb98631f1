"""PyFlink's part of a plan: which operators it merged and why not others, what it put in, what only runs depend on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from planner.job import Helper, Location, Operator
from planner.merging import Merging, PairVerdict
from planner.operators import label
from planner.pipeline import Plan
from planner.records import record
from planner.rules import Obstacle

__all__ = [
    "HELPER_WORDS",
    "MergedExplanation",
    "PairExplanation",
    "PartRef",
    "PythonExplanation",
    "explain_python",
    "part_of",
]

_SECRET = r"password|secret|token|credential|access.?key"  # compiled when first needed
HELPER_WORDS: dict[Helper, str] = {
    "key_by": "PyFlink's own, for key_by(): puts the key in front of each record",
    "window_all": "PyFlink's own, for window_all(): gives all records one key",
    "partition_custom": "PyFlink's own, for partition_custom(): puts the partition in front of each record",
    "values": "PyFlink's own: takes the key or the partition off again",
    "timestamps": "PyFlink's own, for the timestamp assigner: hands each record's time to Java and back",
    "watermarks": "PyFlink's own, for the timestamp assigner: makes the watermarks",
    "print": "PyFlink's own, for print(): makes text of each record",
    "side_output": "PyFlink's own, for get_side_output()",
    "topic_selector": "PyFlink's own, for the sink's topic selector",
    "row_data": "PyFlink's own, for the sink: turns rows into columns",
    "table_step": "Flink's own, for the table: computes columns, makes watermarks, or looks for nulls",
    "table_rows": "Flink's own, for to_data_stream(): gives the rows of the table",
    "split_reader": "Flink's own, for create_input(): reads the splits that the source finds",
    "collect": "Flink's own, for execute_and_collect()",
}


@record
class PartRef:
    """One operator as the script wrote it, or as PyFlink put it in."""

    key: str
    name: str
    helper: str | None  # what it is for, where PyFlink put it in
    location: Location
    function: str | None = None  # the user's own function or class, by its name

    @property
    def label(self) -> str:
        """The name, and the key where the name does not say it."""
        return label(self.name, self.key)

    def to_dict(self) -> dict[str, Any]:
        """The reference as JSON-ready data."""
        return {
            "key": self.key,
            "name": self.name,
            "function": self.function,
            "helper": self.helper,
            "location": str(self.location),
        }

    @property
    def spoken(self) -> str:
        """The user's function where it has a name, with the key."""
        return self.key if self.function is None else f"{self.function} ({self.key})"


@record
class MergedExplanation:
    """One operator that PyFlink made of several."""

    node: int
    name: str
    parts: tuple[PartRef, ...]

    @property
    def reason(self) -> str:
        """Why they are one."""
        spoken = [part.spoken for part in self.parts]
        named = f"{', '.join(spoken[:-1])} and {spoken[-1]}"
        return (
            f"{named} run in one Python process: PyFlink merged them because nothing partitions the records between "
            "them, no other operator reads them, and their settings agree"
        )

    def to_dict(self) -> dict[str, Any]:
        """The operator as JSON-ready data."""
        return {
            "node": self.node,
            "name": self.name,
            "reason": self.reason,
            "parts": [part.to_dict() for part in self.parts],
        }


@record
class PairExplanation:
    """Two neighbouring Python operators that stayed apart."""

    upstream: PartRef
    downstream: PartRef
    nodes: tuple[int, int]
    obstacles: tuple[Obstacle, ...]

    @property
    def needed(self) -> bool:
        """Whether merging would change the result."""
        return any(obstacle.needed for obstacle in self.obstacles)

    @property
    def changes(self) -> tuple[str, ...]:
        """What would merge them, all together; empty where nothing should or can."""
        if any(obstacle.change is None for obstacle in self.obstacles):
            return ()
        return tuple(dict.fromkeys(o.change for o in self.obstacles if o.change))

    def to_dict(self) -> dict[str, Any]:
        """The pair as JSON-ready data."""
        return {
            "upstream": self.upstream.to_dict(),
            "downstream": self.downstream.to_dict(),
            "nodes": list(self.nodes),
            "needed": self.needed,
            "obstacles": [
                {"code": o.code, "slug": o.slug, "values": o.values, "change": o.change, "needed": o.needed}
                for o in self.obstacles
            ],
            "changes": list(self.changes),
        }


@record
class PythonExplanation:
    """What PyFlink did to a job before Flink got it."""

    parallelism: int
    parallelism_origin: str | None
    merged: tuple[MergedExplanation, ...]
    apart: tuple[PairExplanation, ...]
    helpers: tuple[PartRef, ...]  # operators that PyFlink put in, and that stand alone
    dropped: tuple[PartRef, ...]  # operators of the script that are not part of the job
    connectors: tuple[tuple[PartRef, str], ...]  # with the calls each was made by
    recorded: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The layer as JSON-ready data."""
        return {
            "parallelism": self.parallelism,
            "parallelism_origin": self.parallelism_origin,
            "merged": [one.to_dict() for one in self.merged],
            "apart": [one.to_dict() for one in self.apart],
            "helpers": [one.to_dict() for one in self.helpers],
            "dropped": [one.to_dict() for one in self.dropped],
            "connectors": [{**part.to_dict(), "made_by": calls} for part, calls in self.connectors],
            "recorded": list(self.recorded),
        }


def explain_python(plan: Plan) -> PythonExplanation | None:
    """PyFlink's part of a plan; None for other jobs."""
    merging = plan.merging
    if merging is None:
        return None
    return PythonExplanation(
        parallelism=merging.written.parallelism,
        parallelism_origin=merging.written.parallelism_origin,
        merged=tuple(_merged(operator) for operator in merging.merged),
        apart=_apart(merging.apart),
        helpers=tuple(part_of(operator) for operator in _alone(merging)),
        dropped=tuple(part_of(operator) for operator in merging.dropped),
        connectors=tuple(_connectors(merging.job.operators)),
        recorded=(
            *merging.written.recorded,
            *(f"{key} = {_option(key, value)}" for key, value in merging.written.options.items()),
        ),
    )


def _merged(operator: Operator) -> MergedExplanation:
    return MergedExplanation(
        node=operator.id, name=operator.name or "", parts=tuple(part_of(part) for part in operator.merged)
    )


def _apart(verdicts: Iterable[PairVerdict]) -> tuple[PairExplanation, ...]:
    return tuple(
        PairExplanation(
            upstream=part_of(verdict.upstream),
            downstream=part_of(verdict.downstream),
            nodes=(verdict.pair.upstream.id, verdict.pair.downstream.id),
            obstacles=verdict.obstacles,
        )
        for verdict in verdicts
    )


def _option(key: str, value: object) -> object:
    return "***" if re.search(_SECRET, key, re.IGNORECASE) else value


def _connectors(operators: Iterable[Operator]) -> Iterator[tuple[PartRef, str]]:
    for operator in operators:
        for remark in operator.remarks:
            if remark.startswith("connector:"):
                yield part_of(operator), remark.removeprefix("connector:")


def _alone(merging: Merging) -> list[Operator]:
    return [operator for operator in merging.job.operators if operator.helper is not None and not operator.merged]


def part_of(operator: Operator) -> PartRef:
    """An operator as the script wrote it."""
    return PartRef(
        key=operator.key,
        name=operator.name or operator.kind,
        helper=HELPER_WORDS[operator.helper] if operator.helper else None,
        location=operator.location,
        function=_function(operator),
    )


def _function(operator: Operator) -> str | None:
    """The name of an operator's function; None for a lambda, and for what PyFlink put in."""
    target = getattr(operator.behaviour, "target", None)
    if operator.helper is not None or target is None:
        return None
    name = str(getattr(target, "__name__", None) or type(target).__name__)
    return name if name.isidentifier() else None
