"""The script of docs/pyflink.md has the two plans that the page shows."""

from __future__ import annotations

import re
from pathlib import Path

from planner.frontends.python_files.handover import LoadOptions
from tests.support.pyflink_scripts import plans_of

PAGE = (Path(__file__).parents[2] / "docs/pyflink.md").read_text(encoding="utf-8")


def test_the_two_plans_are_those_of_the_script(tmp_path: Path) -> None:
    script = tmp_path / "words.py"
    script.write_text(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], encoding="utf-8")
    shown = re.findall(r"`([^`]+)`, parallelism (\d)", PAGE)
    (python,) = plans_of(script)
    (java,) = plans_of(script, LoadOptions(api="java"))
    for plan in (python, java):
        assert plan.job_graph is not None
        found = [(vertex.name, str(vertex.parallelism)) for vertex in plan.job_graph.vertices]
        assert set(found) <= set(shown)
    assert len(shown) == 5
