"""Settings that every test shares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.project import Project
from tests.support.session_runs import spark_session
from tests.support.sources import ROOT

# Deterministic, so that a red build is red for everybody; slow machines are no failure.
settings.register_profile("plan", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("plan")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the golden files; the tests fail where they did"
    )


# Two processes share the test files. Those that take longest come first: neither waits for the other at the end.
LONGEST_FIRST = (
    "tests/clusters",
    "tests/spark_runner/streaming",
    "tests/samples",
    "tests/spark_runner/runs",
    "tests/spark_runner/pyflink",
    "tests/spark_runner",
    "tests/cli",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        place = item.path.relative_to(ROOT).as_posix()
        return next((at for at, folder in enumerate(LONGEST_FIRST) if place.startswith(folder)), len(LONGEST_FIRST))

    items.sort(key=rank)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One local Spark session for all tests of a process."""
    with spark_session() as session:
        yield session


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project folder with jobs to lint."""
    return Project(tmp_path)
