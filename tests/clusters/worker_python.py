"""The Python of the workers: PySpark and what it needs, nothing of this repository and none of its other libraries.

A virtual environment whose packages are links to those of the running one, so that it costs no download and no space.
It stands in `.cache/`, is named after what it links to, and is made again when that changes.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[2]
WANTED = ("pyspark", "pyarrow", "pandas", "grpcio", "grpcio-status", "googleapis-common-protos", "zstandard")


def worker_python() -> Path:
    """The interpreter workers run with; made where it is not there yet."""
    links = _links()
    mark = hashlib.sha256(repr((sys.base_prefix, sorted(links.items()))).encode()).hexdigest()[:12]
    home = ROOT / ".cache" / f"worker-python-{mark}"
    if not home.is_dir():
        _build(home, links)
    return home / "bin" / "python"


def build_python(home: Path, packages: Sequence[str] = WANTED) -> Path:
    """A virtual environment with the workers' packages, at a place of its own."""
    return _make(home, _links(packages))


def _build(home: Path, links: dict[str, Path]) -> None:
    home.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
        made = _make(Path(scratch) / "python", links)
        try:
            made.rename(home)
        except OSError:
            assert home.is_dir(), "another test process was expected to have made it"


def _make(home: Path, links: dict[str, Path]) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    packages = next(home.glob("lib/python*/site-packages"))
    for name, target in links.items():
        (packages / name).symlink_to(target)
    return home


def _links(packages: Sequence[str] = WANTED) -> dict[str, Path]:
    """Each top-level file or folder of the wanted distributions and of what they require, and where it stands."""
    found: dict[str, Path] = {}
    for installed in _closure(packages):
        for file in installed.files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and top not in found:
                found[top] = Path(str(installed.locate_file(top)))
    return found


def _closure(packages: Sequence[str]) -> list[Distribution]:
    found: dict[str, Distribution] = {}
    pending = list(packages)
    while pending:
        name = re.sub(r"[-_.]+", "-", pending.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # asked for on another platform only
        required = (re.match(r"[\w.-]+", text) for text in found[name].requires or () if "extra ==" not in text)
        pending += [match[0] for match in required if match]
    return [found[name] for name in sorted(found)]
