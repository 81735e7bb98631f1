"""What a figure was measured on: without it, a figure means little."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from importlib import metadata
from pathlib import Path

from benchmarks.measure import cores


def describe() -> str:
    """The machine and the versions of what is compared, as one line."""
    parts = [_processor(), f"{cores()} cores", _memory(), platform.system(), f"Python {platform.python_version()}"]
    parts += [_java(), _version("PySpark", "pyspark"), _version("Typer", "typer")]
    return ", ".join(part for part in parts if part)


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        names = re.findall(r"^model name\s*: (.+)$", listed.read_text(encoding="utf-8"), re.MULTILINE)
        if names:
            return re.sub(r"\((R|TM)\)", "", names[0]).strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB"
    except (ValueError, OSError):
        return ""


def _java() -> str:
    try:
        said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    except OSError:
        return ""
    found = re.search(r'version "([^"]+)"', said)
    return f"Java {found.group(1)}" if found else ""


def _version(name: str, package: str) -> str:
    try:
        return f"{name} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return ""
