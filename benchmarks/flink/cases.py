"""The jobs and clusters on which our physical stage is compared with a running Flink."""

from __future__ import annotations

from typing import Any

__all__ = ["BUFFERS", "MODES", "PLACEMENTS", "RESTARTS", "SCHEDULES", "SHORTAGES", "all_cases"]

MODES = ("NONE", "SLOTS", "TASKS", "MIN_RESOURCES")
Job = dict[str, Any]


def _source(id: str, parallelism: int, **more: Any) -> Job:
    return {"id": id, "type": "source", "name": id, "parallelism": parallelism, **more}


def _map(id: str, parallelism: int, source: Any, partition: str | None = "rebalance", **more: Any) -> Job:
    read = {"from": source, "partition": partition} if partition else source
    made = {"id": id, "type": "map", "name": id, "parallelism": parallelism, "input": read, "chaining": "start_new"}
    return {**made, **more}


def _reduce(id: str, parallelism: int, source: str) -> Job:
    return {"id": id, "type": "reduce", "name": id, "parallelism": parallelism, "input": source, "key_by": "k"}


def _job(*operators: Job, **more: Any) -> Job:
    return {"name": "job", "operators": list(operators), **more}


def _line(*parallelisms: int, partition: str = "rebalance", **more: Any) -> Job:
    """Operators one behind the other: s, m1, m2, ..."""
    made = [_source("s", parallelisms[0])]
    for number, parallelism in enumerate(parallelisms[1:], start=1):
        made.append(_map(f"m{number}", parallelism, made[-1]["id"], partition, **more.get(f"m{number}", {})))
    rest = {key: value for key, value in more.items() if not key.startswith("m")}
    return _job(*made, **rest)


def _two_groups() -> Job:
    return _job(_source("s", 2), _map("m", 4, "s", slot_sharing_group="heavy"))


def _two_pipelines() -> Job:
    return _job(_source("a", 2), _source("b", 2), _map("ma", 2, "a", "forward"), _map("mb", 2, "b"))


def _union() -> Job:
    return _job(_source("a", 3), _source("b", 2), _map("m", 4, ["a", "b"], "rebalance"))


PLACEMENTS: dict[str, tuple[Job, int, int]] = {  # job, task managers, slots of each
    "forward 4 on 2x2": (_line(4, 4, partition="forward"), 2, 2),
    "rebalance 4-4 on 2x2": (_line(4, 4), 2, 2),
    "2-4-1 on 4x2": (_line(2, 4, 1), 4, 2),
    "2-4-1 on 2x2": (_line(2, 4, 1), 2, 2),
    "hash 3-3 on 3x2": (_job(_source("s", 3), _reduce("r", 3, "s")), 3, 2),
    "two groups on 3x2": (_two_groups(), 3, 2),
    "two pipelines on 2x2": (_two_pipelines(), 2, 2),
    "4-2-4 on 4x1": (_line(4, 2, 4), 4, 1),
    "forward 5 on 3x2": (_line(5, 5, partition="forward"), 3, 2),
    "union 3+2-4 on 2x3": (_union(), 2, 3),
    "rescale 4-2 on 2x2": (_line(4, 2, partition="rescale"), 2, 2),
    "rebalance 6-6 on 3x4": (_line(6, 6), 3, 4),
    "source 3 on 3x2": (_line(3, 3, partition="forward"), 3, 2),
}

SHORTAGES: dict[str, tuple[Job, int, int]] = {
    "forward 4 on 3x1": (_line(4, 4, partition="forward"), 3, 1),
    "rebalance 4-4 on 3x1": (_line(4, 4), 3, 1),
    "groups 4+4 on 3x2": (_job(_source("s", 4), _map("m", 4, "s", slot_sharing_group="heavy")), 3, 2),
    "groups 4+4 forward on 3x2": (
        _job(_source("s", 4), _map("m", 4, "s", "forward", slot_sharing_group="heavy")), 3, 2,
    ),
    "two pipelines in groups on 1x3": (
        _job(_source("a", 2), _source("b", 2, slot_sharing_group="other"), _map("m", 2, "a"), _map("n", 2, "b")), 1, 3,
    ),
}  # fmt: skip

BUFFERS: dict[str, tuple[Job, int, int]] = {
    "rebalance 4-4 on 1x4": (_line(4, 4), 1, 4),
    "rebalance 4-4 on 2x2": (_line(4, 4), 2, 2),
    "rebalance 4-4 on 4x1": (_line(4, 4), 4, 1),
    "hash 3-3 on 1x3": (_job(_source("s", 3), _reduce("r", 3, "s")), 1, 3),
    "rescale 4-2 on 1x4": (_line(4, 2, partition="rescale"), 1, 4),
    "forward 4 on 2x2": (_line(4, 4, partition="forward"), 2, 2),
    "2-4-1 on 1x4": (_line(2, 4, 1), 1, 4),
    "union 3+2-4 on 1x4": (_union(), 1, 4),
}

_SLOW = {"pause": 400}
_BATCH = {"runtime_mode": "batch", "records": 16}
_KEEP = {"jobmanager.partition.release-during-job-execution": "false"}


def _batch_line(slow: str) -> Job:
    return _line(2, 2, 2, 2, **{slow: _SLOW}, **_BATCH)


# job, task managers, slots, options, what fails: operator and subtask, its vertex, and whether its task manager is lost
RESTARTS: dict[str, tuple[Job, int, int, dict[str, str], dict[str, Any]]] = {
    "streaming forward": (_line(4, 4, partition="forward"), 2, 2, {}, {"operator": "m1", "vertex": 1, "subtask": 1}),
    "streaming rebalance": (_line(2, 2), 1, 2, {}, {"operator": "m1", "vertex": 1, "subtask": 0}),
    "streaming two pipelines": (_two_pipelines(), 2, 2, {}, {"operator": "ma", "vertex": 2, "subtask": 0}),
    "batch middle": (_batch_line("m2"), 1, 2, {}, {"operator": "m2", "vertex": 2, "subtask": 0}),
    "batch first": (_batch_line("m1"), 1, 2, {}, {"operator": "m1", "vertex": 1, "subtask": 1}),
    "batch lost": (_batch_line("m2"), 3, 1, {}, {"vertex": 2, "subtask": 0, "lose": True}),
    "batch lost, results kept": (_batch_line("m2"), 3, 1, _KEEP, {"vertex": 2, "subtask": 0, "lose": True}),
    "batch end lost": (_batch_line("m3"), 3, 1, {}, {"vertex": 3, "subtask": 0, "lose": True}),
}

SCHEDULES: dict[str, tuple[Job, int, int]] = {
    "streaming line": (_line(2, 4, 1), 2, 2),
    "streaming union": (_union(), 2, 3),
    "streaming groups": (_two_groups(), 3, 2),
    "batch line": (_line(2, 2, 2, **_BATCH), 1, 2),
    "batch two branches": (
        _job(_source("s", 2), _map("a", 2, "s"), _map("b", 1, "s"), _map("c", 2, ["a", "b"]), **_BATCH), 1, 4,
    ),
    "batch forward": (_line(2, 2, 2, partition="rescale", **_BATCH), 1, 2),
}  # fmt: skip


def _case(measure: str, name: str, job: Job, managers: int, slots: int, **more: Any) -> dict[str, Any]:
    return {
        "case": f"{measure}: {name}",
        "measure": measure,
        "job": job,
        "task_managers": managers,
        "slots": slots,
        **more,
    }


def all_cases(repeats: int) -> list[dict[str, Any]]:
    """Every case as FlinkCluster.java reads it."""
    cases = [
        _case("placement", f"{name}, {mode}", *place, repeats=repeats, options={"taskmanager.load-balance.mode": mode})
        for name, place in PLACEMENTS.items()
        for mode in MODES
    ]
    cases += [_case("shortage", name, *place) for name, place in SHORTAGES.items()]
    cases += [
        _case("restart", name, *place, options=options, fail=fail) for name, (*place, options, fail) in RESTARTS.items()
    ]
    cases += [_case("schedule", name, *place) for name, place in SCHEDULES.items()]
    cases += [_case("buffers", name, *place, most=96) for name, place in BUFFERS.items()]
    return cases
