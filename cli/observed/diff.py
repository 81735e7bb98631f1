"""`plan diff PLANNED RUNNING`: whether the job that runs is the job that was planned."""

from __future__ import annotations

from collections.abc import Callable

from cli import console
from cli.exports import is_export
from cli.render.text.drift import drift_lines
from planner.errors import OptionError
from planner.observed.deployed import DeployedJob, deployed_observed, deployed_snapshot
from planner.observed.drift import find_drift
from planner.observed.loading import load_observed
from planner.snapshots.snapshot import Snapshot

Snapshots = Callable[[str], tuple[Snapshot, ...]]


def diff_exports(planned: str, running: str, *, snapshots: Snapshots, exit_code: bool, format: str) -> int:
    """Compare two sides of which at least one is an export of Flink."""
    if planned == running == "-":
        raise OptionError("both sides cannot be stdin")
    after = _side(running, snapshots, None)
    before = _side(planned, snapshots, after.name)
    drift = find_drift(before, after)
    if format == "json":
        console.write_json(
            {
                "version": 1,
                "old": planned,
                "new": running,
                "same": not drift,
                "vertices": {"planned": len(before.vertices), "running": len(after.vertices)},
                "drift": [one.to_dict() for one in drift],
                "state": any(one.state for one in drift),
            }
        )
    else:
        console.write_lines(drift_lines(planned, running, before, after, drift))
    return 1 if exit_code and drift else 0


def _side(argument: str, snapshots: Snapshots, wanted: str | None) -> DeployedJob:
    if is_export(argument):
        return deployed_observed(load_observed(argument))
    jobs = snapshots(argument)
    named = [job for job in jobs if job.name == wanted] if wanted else []
    if len(jobs) == 1 or named:
        return deployed_snapshot((named or list(jobs))[0])
    names = ", ".join(sorted(job.name for job in jobs))
    raise OptionError(f"{argument} has {len(jobs)} jobs, and none is called {wanted!r}", hint=f"it has {names}")
