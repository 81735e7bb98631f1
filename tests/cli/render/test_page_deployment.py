"""docs/deployment.md tells of every option of a deployment."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
COMPILER = (ROOT / "docs" / "flink-compiler.md").read_text(encoding="utf-8")


def test_every_option_of_the_deployment_is_on_the_page() -> None:
    from cli.app import COMMANDS
    from cli.typer_group import load

    options = {
        name for parameter in load("show", COMMANDS["show"]).params for name in parameter.opts if name[:2] == "--"
    }
    of_the_compiler = {name for name in options if name in COMPILER}  # docs/flink-compiler.md has these
    others = {"--stage", "--help", "--api", "--parallelism", "job"} | of_the_compiler
    assert {name for name in options - others if name not in PAGE} == set()
