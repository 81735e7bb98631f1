"""What a tag starts: the notes of the release come from the changelog, and the workflow calls what is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

from cli import __version__

ROOT = Path(__file__).parents[2]


def notes(version: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / ".github/release/notes.py"), version]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_notes_are_one_section_of_the_changelog() -> None:
    done = notes("v0.2.0")
    assert done.returncode == 0, done.stderr
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert done.stdout.strip() in changelog
    assert done.stdout.startswith("### ")
    assert "\n## " not in done.stdout
    assert notes(__version__).returncode == 0, "the version has its section"
    missing = notes("v9.9.9")
    assert missing.returncode == 1
    assert "CHANGELOG.md has no section [9.9.9]" in missing.stderr


def test_the_workflow_calls_scripts_that_are_there() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["release"]["steps"]
    called = re.findall(r"\.github/release/\w+\.\w+", "\n".join(step.get("run", "") for step in steps))
    assert set(called) == {".github/release/check.sh", ".github/release/notes.py"}
    assert all((ROOT / script).is_file() for script in called)
    assert workflow["permissions"] == {"contents": "write"}
    assert {step["uses"].split("/")[0] for step in steps if "uses" in step} == {"actions"}
