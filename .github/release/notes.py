"""Print the section of one version in CHANGELOG.md: the notes of its release."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def section(changelog: str, version: str) -> str:
    """The text under the heading of a version, without the heading."""
    parts = re.split(r"^## \[([^\]]+)\].*$", changelog, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    if version not in found:
        raise SystemExit(f"CHANGELOG.md has no section [{version}]; it has {', '.join(found)}")
    return re.sub(r"\n\[[^\]]+\]: \S+", "", found[version]).strip() + "\n"


if __name__ == "__main__":
    changelog = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    print(section(changelog, sys.argv[1].removeprefix("v")), end="")
