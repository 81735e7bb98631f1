"""The SARIF standard's own JSON Schema: not ours to keep here, so it is brought from a package that carries it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

CACHE = Path(__file__).parents[2] / ".cache" / "sarif"
PACKAGE = "@microsoft/sarif-multitool-linux@5.7.0"
MEMBER = "package/sarif-2.1.0.json"


def standard_schema() -> Path:
    """A copy named by SARIF_SCHEMA, the one fetched before, or the one inside the npm package."""
    if named := os.environ.get("SARIF_SCHEMA"):
        return Path(named)
    schema = CACHE / "sarif-2.1.0.json"
    if not schema.exists():
        npm = shutil.which("npm") or pytest.skip("SARIF_SCHEMA names no copy of the schema, and npm is not there")
        CACHE.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(
            [npm, "pack", "--silent", PACKAGE], cwd=CACHE, capture_output=True, text=True, timeout=300, check=False
        )
        if packed.returncode:
            pytest.skip(f"npm could not bring {PACKAGE}: {packed.stderr.strip()[:200]}")
        archive = CACHE / packed.stdout.split()[-1]
        with tarfile.open(archive) as files:
            content = files.extractfile(MEMBER)
            assert content is not None
            schema.write_bytes(content.read())
        archive.unlink()
    return schema
