"""Whether a job may continue from a checkpoint: by operator id, before a session starts.

Spark knows stateful operators by their number in the query alone, and with state as bytes it would check nothing.
"""

from __future__ import annotations

from typing import Any

from planner.errors import OptionError
from planner.job import Aggregate, Collection, Operator, PythonWindow, Reader, Sequence, Window
from spark_runner.program.chunks import ChunkPlan, ChunkSource, Vertex
from spark_runner.program.program import Operation
from spark_runner.program.roles import ROLES

__all__ = ["check_restart", "state_plan"]


def state_plan(job: ChunkPlan) -> dict[str, Any]:
    """What keeps state, as JSON-ready data."""
    return {
        "operators": [
            _operator(job, vertex, one)
            for vertex in job.vertices
            for one in vertex.operations
            if ROLES[one.role].state in ("declared", "records")
        ],
        "layers": [any(vertex.stateful for vertex in layer) for layer in job.layers],
        "slots": job.slots,
        "sources": [_source(source) for source in job.sources],
    }


def _operator(job: ChunkPlan, vertex: Vertex, one: Operation) -> dict[str, Any]:
    operator = one.operator
    read = [flow for flow in job.flows if flow.target == vertex.number] if one.parent is None else []
    return {
        "id": one.id,
        "key": operator.key,
        "name": one.name,
        "uid": operator.uid,
        "role": one.role,
        "layer": vertex.layer,
        "parallelism": vertex.parallelism,
        "max_parallelism": vertex.max_parallelism,
        "detail": _detail(operator, one.role),
        "keys": [flow.key.type if flow.key is not None else None for flow in read],
        # a function with states of its own may read anything; these keep the records themselves
        "records": [flow.columns if isinstance(flow.columns, str) else None for flow in read]
        if ROLES[one.role].state == "records"
        else [],
    }


def _detail(operator: Operator, role: str) -> str:
    behaviour = operator.behaviour
    if isinstance(behaviour, Window):
        slide = f", one every {behaviour.slide} ms" if behaviour.slide is not None else ""
        return f"a {behaviour.assigner} window of {behaviour.size} ms{slide} ({behaviour.form})"
    if operator.run is not None and operator.run.window is not None:
        return _python_window(operator.run.window)
    return f"{operator.kind} of field {behaviour.field}" if isinstance(behaviour, Aggregate) else role


def _python_window(window: PythonWindow) -> str:
    """A PyFlink window by its assigner and the numbers that it was made with."""
    assigner = window.assigner
    numbers = ", ".join(str(value) for value in vars(assigner).values() if isinstance(value, int))
    return f"{type(assigner).__name__}({numbers}) ({window.form})"


def _source(source: ChunkSource) -> dict[str, Any]:
    behaviour = source.operator.behaviour
    kind = behaviour.format if isinstance(behaviour, Reader) else type(behaviour).__name__.lower()
    size = len(behaviour.records) if isinstance(behaviour, Collection) else None
    if isinstance(behaviour, Sequence):
        size = behaviour.end - behaviour.start + 1
    return {"key": source.operator.key, "kind": kind, "parallelism": source.parallelism, "size": size}


def check_restart(
    before: dict[str, Any], job: ChunkPlan, *, allowed: frozenset[str], checkpoint: str
) -> frozenset[str]:
    """Refuse a job that the checkpoint's state does not fit. The ids of operators whose old state is not read."""
    now = state_plan(job)
    _check_sources(before, now, checkpoint, "key", "kind")
    old = {one["id"]: one for one in before["operators"]}
    new = {one["id"]: one for one in now["operators"]}
    for key, one in old.items():
        if key not in new and one["key"] not in allowed:
            raise _refused(
                f"the checkpoint holds state of operator {one['key']!r} ({one['name']}), which this job does not have",
                f"give an operator that uid, start with --allow-lost-state {one['key']}, or with a new --checkpoint",
                checkpoint,
            )
    lost = set()
    for key, one in new.items():
        if key not in old:
            _check_new(one, allowed, checkpoint)
        elif (problem := _misfit(old[key], one, checkpoint)) is not None:
            if one["key"] not in allowed:
                raise problem
            lost.add(key)
    _check_sources(before, now, checkpoint, "key", "parallelism", "size")
    _check_shape(before, now, checkpoint)
    return frozenset(lost)


def _check_new(one: dict[str, Any], allowed: frozenset[str], checkpoint: str) -> None:
    if one["key"] not in allowed:
        raise _refused(
            f"operator {one['key']!r} ({one['name']}) keeps state, and has none in this checkpoint",
            f"give it the uid of the operator whose state it continues, let it begin without any by "
            f"--allow-lost-state {one['key']}, or start with a new --checkpoint",
            checkpoint,
        )


def _misfit(old: dict[str, Any], new: dict[str, Any], checkpoint: str) -> OptionError | None:
    """Why an operator's old state is not its own any more."""
    key = new["key"]
    keep = f"put it back, start with --allow-lost-state {old['key']}, or with a new --checkpoint"
    if (old["role"], old["detail"]) != (new["role"], new["detail"]):
        what = f"operator {key!r} was {old['detail']}, is {new['detail']}: its state does not fit"
        return _refused(what, keep, checkpoint)
    for name, words in (("keys", "key was"), ("records", "records were")):
        for was, is_now in zip(old.get(name, ()), new[name], strict=False):
            if was is not None and is_now is not None and was != is_now:
                what = f"operator {key!r}: its {words} {was}, now {is_now}: its state does not fit"
                return _refused(what, keep, checkpoint)
    if old["parallelism"] != new["parallelism"]:
        return _refused(
            f"operator {key!r} had {old['parallelism']} subtasks, now {new['parallelism']}: its state cannot be moved",
            f"set its parallelism back to {old['parallelism']}, or start with a new --checkpoint",
            checkpoint,
        )
    if old["max_parallelism"] != new["max_parallelism"]:
        return _refused(
            f"operator {key!r} had a max parallelism of {old['max_parallelism']}, now {new['max_parallelism']}",
            "set it back, or start with a new --checkpoint",
            checkpoint,
        )
    if old["layer"] != new["layer"]:
        return _refused(
            f"operator {key!r} was after {old['layer']} exchanges, is after {new['layer']}: its state is elsewhere",
            "keep the exchanges upstream of it, or start with a new --checkpoint",
            checkpoint,
        )
    return None


def _check_sources(before: dict[str, Any], now: dict[str, Any], checkpoint: str, *names: str) -> None:
    """Refuse other sources, as far as these facts of them tell."""
    was, is_now = ([[one[name] for name in names] for one in plan["sources"]] for plan in (before, now))
    if was != is_now:
        told = [", ".join(" ".join(str(fact) for fact in one) for one in plan) for plan in (was, is_now)]
        raise _refused(
            f"the sources were {told[0]}, are {told[1]} ({', '.join(names)})",
            "undo that, or start with a new --checkpoint",
            checkpoint,
        )


def _check_shape(before: dict[str, Any], now: dict[str, Any], checkpoint: str) -> None:
    if before["layers"] != now["layers"] or before["slots"] != now["slots"]:
        raise _refused(
            "the exchanges upstream of operators with state, or the highest parallelism among them, are not as before",
            "undo that, or start with a new --checkpoint",
            checkpoint,
        )


def _refused(problem: str, hint: str, checkpoint: str) -> OptionError:
    return OptionError(f"{problem} (checkpoint {checkpoint})", hint=hint)
