"""The Flink versions that can be planned for."""

from __future__ import annotations

import re

from planner.errors import OptionError
from planner.job import JobDefinition

__all__ = ["NEWEST", "RELEASES", "VERSIONS", "is_before", "known_release", "read_version", "version_for"]

# Each version with the release whose plans ours were compared with.
RELEASES = {
    "1.18": "1.18.1",
    "1.19": "1.19.3",
    "1.20": "1.20.5",
    "2.0": "2.0.2",
    "2.1": "2.1.3",
    "2.2": "2.2.1",
    "2.3": "2.3.0",
}
VERSIONS = tuple(RELEASES)  # oldest first
NEWEST = VERSIONS[-1]
_WRITTEN = re.compile(r"v?(\d+\.\d+)(?:\.\d+)?")


def read_version(written: str, option: str = "--flink") -> str:
    """The version that is written: `1.20`, or one of its releases such as `1.20.3`."""
    found = _WRITTEN.fullmatch(written.strip())
    if found is not None and found[1] in RELEASES:
        return found[1]
    raise OptionError(
        f"{option} {written}: this is no Flink version that can be planned for",
        hint=f"there are {', '.join(VERSIONS)}",
    )


def known_release(written: str) -> str | None:
    """The release that is written, where it is one of a version that can be planned for."""
    found = _WRITTEN.fullmatch(written)
    return written if found is not None and found[1] in RELEASES else None


def version_for(job: JobDefinition, *, asked: str | None, configured: str | None) -> str | None:
    """The version to plan a job for: `--flink`, else what compiled it, else `[tool.plan] flink`. None is the newest.

    A PyFlink script met the API of one version when it was loaded, so it is planned for that one.
    """
    if job.python is not None:
        return job.flink or asked
    return asked or job.flink or configured


def is_before(one: str, other: str) -> bool:
    """Whether one version is older than the other."""
    return VERSIONS.index(one) < VERSIONS.index(other)
