"""The Flink versions that can be planned for."""

from __future__ import annotations

import re

from planner.errors import OptionError

__all__ = ["NEWEST", "RELEASES", "VERSIONS", "is_before", "known_release", "read_version"]

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


def is_before(one: str, other: str) -> bool:
    """Whether one version is older than the other."""
    return VERSIONS.index(one) < VERSIONS.index(other)
