"""What `/jobs/ID` and metric names add to a job plan: slot sharing groups, max parallelism, kinds of sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from planner.frontends.flink_export.fields import JsonObject, amount, is_object, json_objects, text
from planner.graphs.stream_graph import SourceKind
from planner.records import record

# Subtask, operator and metric. Only sources of the new API count how long they were idle.
_METRIC = re.compile(r"\d+\.(?P<operator>.+)\.(?P<metric>\w+)")
_OF_NEW_SOURCES = frozenset({"sourceIdleTime", "numRecordsInErrors"})
_OF_EVERY_OPERATOR = "numRecordsOut"


@record(slots=False)
class RunningFacts:
    """What a running cluster adds to the job plan, by vertex id."""

    groups: Mapping[str, str] = field(default_factory=dict)
    max_parallelism: Mapping[str, int] = field(default_factory=dict)
    source_kinds: Mapping[str, SourceKind] = field(default_factory=dict)
    job_max_parallelism: int | None = None
    state: str = ""  # RUNNING, FINISHED, ...
    names: Mapping[str, str] = field(default_factory=dict)


def is_job_details(document: JsonObject) -> bool:
    """Whether a JSON object is the answer of `/jobs/ID`."""
    return isinstance(document.get("vertices"), list) and is_object(document.get("plan"))


def read_facts(details: JsonObject, metric_names: Mapping[str, Sequence[str]], where: str) -> RunningFacts:
    """The facts of `/jobs/ID`, and of the metric names of each vertex."""
    vertices = [(text(entry, "id", place), entry) for entry, place in json_objects(details, "vertices", where)]
    ceilings = {vertex: amount(entry, "maxParallelism") for vertex, entry in vertices}
    own = amount(details, "maxParallelism")
    return RunningFacts(
        groups={v: group for v, entry in vertices if isinstance(group := entry.get("slotSharingGroupId"), str)},
        max_parallelism={vertex: int(ceiling) for vertex, ceiling in ceilings.items() if ceiling and ceiling > 0},
        source_kinds={v: kind for v, names in metric_names.items() if (kind := source_kind(names)) is not None},
        job_max_parallelism=int(own) if own and own > 0 else None,
        state=text(details, "state", where, ""),
        names={vertex: name for vertex, entry in vertices if isinstance(name := entry.get("name"), str)},
    )


def source_kind(metric_names: Sequence[str]) -> SourceKind | None:
    """The kind of the source at the head of a vertex, from the names of the vertex' metrics."""
    found = [match for name in metric_names if (match := _METRIC.fullmatch(name))]
    metrics = {match["metric"] for match in found}
    if "sourceIdleTime" in metrics or metrics >= _OF_NEW_SOURCES:
        return "new"
    return "legacy" if _OF_EVERY_OPERATOR in metrics else None
