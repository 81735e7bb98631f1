"""Settings that every test shares."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.project import Project

# Deterministic, so that a red build is red for everybody; slow machines are no failure.
settings.register_profile("plan", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("plan")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the golden files; the tests fail where they did"
    )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project folder with jobs to lint."""
    return Project(tmp_path)
