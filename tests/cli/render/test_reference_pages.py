"""The pages under docs/reference are those of the code as it is, and the examples of docs/job-format.md work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import planner
from cli.render.reference_pages import reference_pages

DOCS = Path(__file__).parents[3] / "docs"


def test_the_committed_pages_are_current() -> None:
    committed = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md")}
    assert committed == reference_pages(), "run make docs"


def test_every_key_and_every_method_is_explained() -> None:
    for line in reference_pages()["yaml.md"].splitlines():
        assert not line.endswith("|  |"), f"no meaning: {line}"


@pytest.mark.parametrize("language", ["python", "yaml"])
def test_the_first_example_of_each_kind_can_be_planned(language: str, tmp_path: Path) -> None:
    page = (DOCS / "job-format.md").read_text(encoding="utf-8")
    example = re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)[0]
    job = tmp_path / ("job.py" if language == "python" else "job.yaml")
    job.write_text(example, encoding="utf-8")
    names = [node.name for node in planner.load_plan(job).stream_graph.nodes]
    assert len(names) == 5 and names[-1] == "Sink: Print to Std. Out"
