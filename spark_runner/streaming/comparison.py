"""Whether a job may continue from a checkpoint: by operator id, before a session starts.

Spark knows stateful operators by their number in the query alone, and with state as bytes it would check nothing.
"""

from __future__ import annotations

from typing import Any

from planner.errors import OptionError
from planner.job import Aggregate, Collection, Reader, Sequence, Window
from spark_runner.streaming.program import StreamJob, StreamOperation, StreamSource, StreamVertex

__all__ = ["check_restart", "state_plan"]

_STATEFUL = frozenset(
    {"reduce", "window", "keyed_process", "keyed_co_process", "keyed_map", "keyed_flat_map", "keyed_filter"}
)


def state_plan(job: StreamJob) -> dict[str, Any]:
    """What keeps state, as JSON-ready data."""
    return {
        "operators": [
            _operator(vertex, one) for vertex in job.vertices for one in vertex.operations if one.role in _STATEFUL
        ],
        "layers": [any(vertex.stateful for vertex in layer) for layer in job.layers],
        "slots": job.slots,
        "sources": [_source(source) for source in job.sources],
    }


def _operator(vertex: StreamVertex, one: StreamOperation) -> dict[str, Any]:
    operator = one.operation.operator
    return {
        "id": one.id,
        "key": operator.key,
        "name": one.operation.name,
        "uid": operator.uid,
        "role": one.role,
        "layer": vertex.layer,
        "parallelism": vertex.parallelism,
        "max_parallelism": vertex.max_parallelism,
        "detail": _detail(operator.behaviour),
    }


def _detail(behaviour: Any) -> str:
    if isinstance(behaviour, Window):
        return f"{behaviour.assigner} window of {behaviour.size} ms, slide {behaviour.slide}, {behaviour.form}"
    return f"field {behaviour.field}" if isinstance(behaviour, Aggregate) else ""


def _source(source: StreamSource) -> dict[str, Any]:
    behaviour = source.operator.behaviour
    kind = behaviour.format if isinstance(behaviour, Reader) else type(behaviour).__name__.lower()
    size = len(behaviour.records) if isinstance(behaviour, Collection) else None
    if isinstance(behaviour, Sequence):
        size = behaviour.end - behaviour.start + 1
    return {"key": source.operator.key, "kind": kind, "parallelism": source.parallelism, "size": size}


def check_restart(
    before: dict[str, Any], job: StreamJob, *, allowed: frozenset[str], checkpoint: str
) -> frozenset[str]:
    """Refuse a job that the checkpoint's state does not fit. The ids of operators whose state is given up."""
    now = state_plan(job)
    lost = {one["id"] for one in before["operators"] if one["key"] in allowed}
    old = {one["id"]: one for one in before["operators"]}
    new = {one["id"]: one for one in now["operators"]}
    for key, one in old.items():
        if key not in new and key not in lost:
            raise _refused(
                f"the checkpoint holds state of operator {one['key']!r} ({one['name']}), which this job does not have",
                f"give an operator that uid, start with --allow-lost-state {one['key']}, or with a new --checkpoint",
                checkpoint,
            )
    for key, one in new.items():
        if key not in old:
            raise _refused(
                f"operator {one['key']!r} ({one['name']}) keeps state, and has none in this checkpoint",
                "give it the uid of the operator whose state it continues, or start with a new --checkpoint",
                checkpoint,
            )
        if key not in lost:
            _check_operator(old[key], one, checkpoint)
    _check_shape(before, now, checkpoint)
    return frozenset(lost) | frozenset(before.get("lost", ())) - set(new)


def _check_operator(old: dict[str, Any], new: dict[str, Any], checkpoint: str) -> None:
    key = new["key"]
    keep = f"put it back, start with --allow-lost-state {old['key']}, or with a new --checkpoint"
    if (old["role"], old["detail"]) != (new["role"], new["detail"]):
        was, now = (" ".join(filter(None, (one["role"], one["detail"]))) for one in (old, new))
        raise _refused(f"operator {key!r} was {was}, is {now}: its state does not fit", keep, checkpoint)
    if old["parallelism"] != new["parallelism"]:
        raise _refused(
            f"operator {key!r} had {old['parallelism']} subtasks, now {new['parallelism']}: its state cannot be moved",
            f"set its parallelism back to {old['parallelism']}, or start with a new --checkpoint",
            checkpoint,
        )
    if old["max_parallelism"] != new["max_parallelism"]:
        raise _refused(
            f"operator {key!r} had a max parallelism of {old['max_parallelism']}, now {new['max_parallelism']}",
            "set it back, or start with a new --checkpoint",
            checkpoint,
        )
    if old["layer"] != new["layer"]:
        raise _refused(
            f"operator {key!r} was behind {old['layer']} exchanges, is behind {new['layer']}: its state is elsewhere",
            "keep the exchanges in front of it, or start with a new --checkpoint",
            checkpoint,
        )


def _check_shape(before: dict[str, Any], now: dict[str, Any], checkpoint: str) -> None:
    new = "undo that, or start with a new --checkpoint"
    if before["sources"] != now["sources"]:
        was, is_now = (
            ", ".join(f"{one['key']} ({one['kind']}, {one['parallelism']})" for one in plan["sources"])
            for plan in (before, now)
        )
        raise _refused(f"the sources were {was}, are {is_now}", new, checkpoint)
    if before["layers"] != now["layers"] or before["slots"] != now["slots"]:
        raise _refused(
            "the exchanges in front of operators with state, or the highest parallelism among them, are not as before",
            new,
            checkpoint,
        )


def _refused(problem: str, hint: str, checkpoint: str) -> OptionError:
    return OptionError(f"{problem} (checkpoint {checkpoint})", hint=hint)
