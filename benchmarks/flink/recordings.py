"""What a running Flink did, reduced to what can be compared: no times of day, no ids."""

from __future__ import annotations

from collections import Counter
from typing import Any

__all__ = ["reduce_result"]

STATES = ("CREATED", "SCHEDULED", "DEPLOYING", "RUNNING", "FINISHED")


def reduce_result(case: dict[str, Any], runs: list[Any]) -> dict[str, Any]:
    """The case with its observations."""
    kept = {key: value for key, value in case.items() if key not in ("repeats", "most")}
    return {**kept, "observed": _REDUCERS[case["measure"]](runs)}


def _placement(runs: list[Any]) -> dict[str, Any]:
    counts = {tuple(sorted((len(manager) for manager in run), reverse=True)) for run in runs}
    shared = {str(sorted(slot for manager in run for slot in manager)) for run in runs}
    groupings = {str(run) for run in runs}
    return {
        "runs": len(runs),
        "slots_per_task_manager": sorted(list(count) for count in counts),
        "slots": sorted(slot for manager in runs[0] for slot in manager),
        "sharings": len(shared),
        "groupings": len(groupings),
        "first_grouping": [[slot[0] for slot in manager] for manager in runs[0]],
    }


def _shortage(runs: list[Any]) -> dict[str, Any]:
    run = runs[0]
    waiting = [one["subtask"] for one in run["executions"] if one["state"] == "SCHEDULED"]
    return {"waiting": waiting, "message": run["message"].split(": ")[-1]}


def _restart(runs: list[Any]) -> dict[str, Any]:
    run = runs[0]
    again = [one["subtask"] for one in run["executions"] if one["attempt"] > 0]
    return {"restarted": again, **({"placement": run["placement"]} if "placement" in run else {})}


def _schedule(runs: list[Any]) -> dict[str, Any]:
    """Every subtask's states in order, and in which order the subtasks entered each of the states."""
    executions = runs[0]
    times = {tuple(one["subtask"]): one["times"] for one in executions}
    orders = {}
    for state in STATES[1:]:
        reached = sorted((entered[state], subtask) for subtask, entered in times.items() if state in entered)
        if reached:
            orders[state] = [[list(subtask), at - reached[0][0]] for at, subtask in reached]
    states = Counter(
        tuple(state for state in sorted(entered, key=lambda state: (entered[state], STATES.index(state)))
              if state in STATES)
        for entered in ({s: t for s, t in one.items() if s in STATES} for one in times.values())
    )  # fmt: skip
    return {"states": [[list(path), count] for path, count in sorted(states.items())], "entered": orders}


def _buffers(runs: list[Any]) -> dict[str, Any]:
    return {"fewest": runs[0]}


_REDUCERS = {
    "placement": _placement,
    "shortage": _shortage,
    "restart": _restart,
    "schedule": _schedule,
    "buffers": _buffers,
}
