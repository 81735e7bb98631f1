"""Every console example of the documentation prints what it shows. A line `...` stands for lines that are left out."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from tests.support.sources import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "samples").rglob("*.md")))
BLOCK = re.compile(r"^```(?:console|text)?\n(\$ plan .*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str, str]]:
    """Page, command and output of every example."""
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((page.relative_to(ROOT).as_posix(), command, output))
    return found


def pattern_of(output: str) -> re.Pattern[str]:
    """The output that an example promises."""
    parts = re.split(r"^ *\.\.\.\n", output.strip("\n") + "\n", flags=re.MULTILINE)
    return re.compile("(?:.*\n)*?".join(re.escape(part) for part in parts))


EXAMPLES = examples()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize(("page", "command", "output"), EXAMPLES, ids=[f"{one[0]}: {one[1]}" for one in EXAMPLES])
def test_an_example_prints_what_it_shows(page: str, command: str, output: str) -> None:
    words = shlex.split(command)
    done = subprocess.run(
        [sys.executable, "-m", "cli", *words[1:]], capture_output=True, text=True, check=False, cwd=ROOT
    )
    printed = "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines()) + "\n"
    assert pattern_of(output).fullmatch(printed), f"{page}: {command}\n{printed}\n{done.stderr}"
