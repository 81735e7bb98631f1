"""docs/deployment.md and docs/flink-versions.md show what the program prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cli.app import main

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
VERSIONS = (ROOT / "docs" / "flink-versions.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```console\n\$ plan (.+)\n((?s:.+?))```", PAGE + VERSIONS)


def test_the_page_has_examples() -> None:
    assert len(SHOWN) == (PAGE + VERSIONS).count("```console") > 0


@pytest.mark.parametrize(("command", "expected"), SHOWN)
def test_an_example_is_what_is_printed(
    command: str, expected: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(shlex.split(command)) == 0
    assert expected in capsys.readouterr().out


def test_every_option_of_the_deployment_is_on_the_page() -> None:
    from cli.app import COMMANDS
    from cli.command_table import load

    options = {
        name for parameter in load("show", COMMANDS["show"]).params for name in parameter.opts if name[:2] == "--"
    }
    others = {"--stage", "--help", "--api", "--parallelism", "job"}
    assert {name for name in options - others if name not in PAGE} == set()
