"""Files that are not Python go into the wheel too: the page is made of them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PATTERNS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"][
    "*"
]
ASSETS = sorted(
    file
    for room in ("cli", "planner", "spark_runner")
    for file in (ROOT / room).rglob("*")
    if file.is_file() and file.suffix in (".js", ".css", ".html", ".json", ".pyi")
)


def package_of(file: Path) -> Path:
    return next(folder for folder in file.parents if (folder / "__init__.py").exists())


@pytest.mark.parametrize("file", ASSETS, ids=lambda file: file.name)
def test_a_wheel_takes_the_file_along(file: Path) -> None:
    package = package_of(file)
    assert any(file in package.glob(pattern) for pattern in PATTERNS)
