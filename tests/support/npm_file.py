"""Files of npm packages that tests need and that are not ours to keep: brought once, into `.cache/`."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

CACHE = Path(__file__).parents[2] / ".cache"
AXE = ("axe-core@4.10.3", "package/axe.min.js")


def npm_file(package: str, member: str) -> Path:
    """One file of a package; the test is skipped where npm is not there, or required and cannot bring it."""
    target = CACHE / package.replace("@", "-").replace("/", "-") / Path(member).name
    if target.exists():
        return target
    npm = shutil.which("npm") or pytest.skip(f"npm is not there to bring {package}")
    target.parent.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(
        [npm, "pack", "--silent", package], cwd=target.parent, capture_output=True, text=True, timeout=300, check=False
    )
    if packed.returncode:
        reason = f"npm could not bring {package}: {packed.stderr.strip()[:200]}"
        pytest.fail(reason) if os.environ.get("PLAN_REQUIRE_BROWSER") == "1" else pytest.skip(reason)
    archive = target.parent / packed.stdout.split()[-1]
    with tarfile.open(archive) as files:
        content = files.extractfile(member)
        assert content is not None
        target.write_bytes(content.read())
    archive.unlink()
    return target
