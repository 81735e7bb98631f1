"""Pages for readers: the README's example is what the command prints, and every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.app import COMMANDS, main
from tests.support.sources import ROOT, relative, sources

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted((ROOT / "docs").glob("*.md"))


def anchor(heading: str) -> str:
    """The name that GitHub gives a heading."""
    plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
    return plain.strip().replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target or target.startswith("mailto:"):
            continue
        file, _, place = target.partition("#")
        found = page.parent / file if file else page
        assert found.exists(), target
        if place:
            headings = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            assert place in {anchor(heading) for heading in headings}, target


def test_the_example_of_the_readme_is_true(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```console\n\$ plan ([^\n]+)\n\.\.\.\n(.*?)\n\.\.\.\n```", readme, re.DOTALL)
    assert main(example[0].split()) == 0
    assert f"\n{example[1]}\n" in capsys.readouterr().out


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_every_source_file_that_a_page_names_is_there(page: str) -> None:
    files = [f"/{relative(path)}" for path in sources("planner", "cli", "spark_runner", "tests", "samples")]
    named = set(re.findall(r"`([\w/]+\.py)`", (ROOT / page).read_text(encoding="utf-8")))
    assert [name for name in named if "NNN" not in name and not any(f.endswith(f"/{name}") for f in files)] == []


def test_the_readme_names_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {name for name in COMMANDS if f"`plan {name}" in readme} == set(COMMANDS)
