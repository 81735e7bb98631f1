"""The tutorial, followed literally: its files are written, its commands run, its output compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Step:
    """One code block: a file to save, commands to run, or what they print."""

    language: str
    content: str
    before: str  # the paragraph in front of it


def steps() -> list[Step]:
    found = re.finditer(r"(?P<before>(?:[^\n]+\n)*)\n```(?P<language>\w+)\n(?P<content>.*?)```\n", PAGE, re.DOTALL)
    return [Step(match["language"], match["content"], match["before"]) for match in found]


def run(commands: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    surroundings = {**os.environ, "PATH": path, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["bash", "-e", "-c", commands], cwd=folder, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def assert_shown(expected: str, printed: str) -> None:
    """Every line that the page shows was printed, in that order; `...` stands for anything."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else f"{'.*'.join(map(re.escape, line.split('...')))}\n"
        for line in expected.splitlines()
    )
    assert re.fullmatch(pattern, printed), f"{expected}\n--- but it was\n{printed}"


def test_the_tutorial_followed_literally(tmp_path: Path) -> None:
    printed = ""
    kinds: dict[str, int] = {}
    for step in steps():
        kinds[step.language] = kinds.get(step.language, 0) + 1
        if step.language == "sh":
            printed = run(step.content, tmp_path)
        elif step.language == "text":
            assert_shown(step.content, printed)
        elif step.language in ("python", "yaml"):
            (name,) = re.findall(r"Save it as `([^`]+)`", step.before)
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.content, encoding="utf-8")
    assert kinds == {"shell": 1, "python": 2, "sh": 9, "text": 7, "yaml": 1}, "no block is passed over"
    assert (tmp_path / "clicks.html").stat().st_size > 10_000


def test_what_the_page_installs_is_what_the_release_checks() -> None:
    """The first block installs from the sources; `.github/release/check.sh` does that with wheel and sdist."""
    (install,) = [step.content for step in steps() if step.language == "shell"]
    assert "pip install ." in install
