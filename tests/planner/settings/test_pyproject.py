"""Settings from pyproject.toml: what they mean, and what a mistake says."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import OptionError
from planner.job import RestartStrategy
from planner.settings.pyproject import Config, load_config

WHOLE = """
[project]
name = "x"

[tool.plan]
job = "jobs/orders.py"

[tool.plan.cluster]
task-managers = 4
slots = 8
network_memory = "128mb"

[tool.plan.lint]
select = ["PL"]
ignore = ["PL107"]
max_channels = 500

[tool.plan.restart_strategy]
type = "fixed-delay"
attempts = 3
delay = "10s"

[tool.plan.jobs."nightly totals".cluster]
slots = 16

[tool.plan.jobs."jobs/by_file.yaml".lint]
ignore = []
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "pyproject.toml").write_text(WHOLE, encoding="utf-8")
    return tmp_path


def test_everything_is_read(folder: Path) -> None:
    config = load_config(folder / "jobs" / "orders.py")
    assert config.file == folder / "pyproject.toml"
    assert config.job == "jobs/orders.py"
    assert config.cluster.total_slots == 32
    assert config.cluster.network_buffers == 4096
    assert (config.cluster.buffers_per_channel, config.cluster.floating_buffers_per_gate) == (2, 8)
    assert config.lint.ignore == ("PL107",)
    assert config.lint.max_channels == 500
    assert config.restart_strategy == RestartStrategy(type="fixed-delay", attempts=3, delay=10_000)


def test_settings_of_one_job_add_to_the_projects(folder: Path) -> None:
    config = load_config(folder)
    nightly = config.for_job("nightly totals", folder / "jobs" / "nightly.py")
    assert (nightly.cluster.slots, nightly.cluster.task_managers, nightly.lint.ignore) == (16, 4, ("PL107",))
    assert config.for_job("any", folder / "jobs" / "by_file.yaml").lint.ignore == ()
    assert config.for_job("any", folder / "jobs" / "other.yaml") is config


def test_without_a_file_everything_has_its_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    config = load_config(tmp_path)
    assert config == Config(file=tmp_path / "pyproject.toml")
    assert config.cluster.total_slots is None
    assert config.cluster.network_buffers is None


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[tool.plan]\n[tool.plan.cluster]\nslot = 3\n", 3, "did you mean `slots`?"),
        ("[tool.plan]\njbo = 'a'\n", 2, "did you mean `job`?"),
        ("[tool.plan.lint]\nselekt = []\n", 2, "did you mean `select`?"),
        ("[tool.plan.cluster]\nslots = 0\n", 2, "at least 1"),
        ("[tool.plan.cluster]\nslots = true\n", 2, "whole number"),
        ("[tool.plan.cluster]\nnetwork_memory = '3 parsec'\n", 2, "a size such as"),
        ("[tool.plan.restart_strategy]\ntype = 'fixed delay'\n", 2, "did you mean `fixed-delay`?"),
        ("[tool.plan.restart_strategy]\ndelay = 'soon'\n", 2, "soon"),
        ("[tool.plan]\ncluster = 3\n", 2, "must be a table"),
        ("[tool.plan.jobs.a]\njob = 'b'\n", 2, "unknown key 'job'"),
        ("[tool.plan]\njob = \n", 2, "not valid TOML"),
    ],
)
def test_a_mistake_has_its_line_and_the_next_step(tmp_path: Path, text: str, line: int, said: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(OptionError) as caught:
        load_config(tmp_path)
    assert caught.value.location is not None
    assert caught.value.location.line == line
    assert said in str(caught.value)
