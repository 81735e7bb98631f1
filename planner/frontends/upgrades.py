"""What a PyFlink script must replace before another version of Flink takes it."""

from __future__ import annotations

from collections.abc import Iterable

from planner.job import JobDefinition

__all__ = ["replacements"]


def replacements(jobs: Iterable[JobDefinition], version: str) -> list[str]:
    """One line for each name of the scripts that a version does not have: where it is, and what to use there."""
    from planner.frontends.python.versions import replacement  # for upgrades of scripts only

    found = {name: place for job in jobs for name, place in job.calls}
    ordered = sorted(found.items(), key=lambda use: (use[1].file, use[1].line, use[0]))
    told = [(place, name, replacement(name, version)) for name, place in ordered]
    return [f"{place}: {name}: {instead}" for place, name, instead in told if instead is not None]
