"""A plan needs no database client and no model: what a PyFlink script imports and is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.python_files.handover import LoadOptions
from planner.frontends.python_loader import load_python
from tests.support.pyflink_scripts import names, plan_of, plans_of, write_script

IMPORTS = """\
from typing import Optional
import no_such_client as client
import no_such_model.deep.part
from no_such_model.deep import Base, traced
from pyflink.datastream.functions import MapFunction
class Order(Base):
    price: Optional[client.Price] = None
connection = client.connect(host="db")
@traced(times=3)
def cleaned(value): return value
class Save(MapFunction):
    def map(self, value): return connection.save(value)
"""


def test_a_plan_is_made_without_them_and_says_so(tmp_path: Path) -> None:
    found = plan_of(tmp_path, IMPORTS + "lines.map(cleaned).map(Save()).print()")
    assert names(found)[-1] == "Map, Map, Map"
    assert found.job.absent_modules == ("no_such_client", "no_such_model")
    assert "import no_such_client (not installed here)" in found.job.recorded
    assert not [name for name in sys.modules if name.startswith("no_such")]


def test_a_script_that_expects_it_is_left_alone(tmp_path: Path) -> None:
    body = "try:\n    import no_such_client\nexcept ImportError:\n    lines.filter(bool).name('without').print()"
    found = plan_of(tmp_path, body)
    assert "without" in names(found)
    assert found.job.absent_modules == ()


@pytest.mark.parametrize(
    "line",
    [
        "env.from_collection(connection.rows())", "env.from_source(connection.source(), None, 'x')",
        "lines.sink_to(client.Sink())", "env.set_parallelism(int(client.SUBTASKS))",
        "lines.print() if client.DEBUG else None", "lines.print() if client.MODE == 'debug' else None",
        "client.SUBTASKS + 1", "[lines.print() for _ in client.TOPICS]",
    ],
)  # fmt: skip
def test_a_job_that_depends_on_one_is_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(JobDefinitionError, match="'no_such_client' is not installed here") as refused:
        plans_of(write_script(tmp_path, IMPORTS + line))
    assert "install no_such_client" in (refused.value.hint or "")
    assert refused.value.location is not None
    assert refused.value.location.line == 19


def test_a_run_and_our_own_api_need_what_they_import(tmp_path: Path) -> None:
    script = write_script(tmp_path, IMPORTS + "lines.map(Save()).print()")
    with pytest.raises(JobDefinitionError, match="No module named 'no_such_client'"):
        load_python(script, options=LoadOptions(run=lambda _: []))
    ours = tmp_path / "ours.py"
    ours.write_text("import no_such_client\n", encoding="utf-8")
    with pytest.raises(JobDefinitionError, match="No module named 'no_such_client'"):
        load_python(ours)


def test_a_module_of_the_scripts_own_package_is_found_above_it(tmp_path: Path) -> None:
    folder = tmp_path / "src" / "fraud"
    (folder / "jobs").mkdir(parents=True)
    (folder / "settings.py").write_text("PARALLELISM = 3\n", encoding="utf-8")
    body = "from fraud.settings import PARALLELISM\nenv.set_parallelism(PARALLELISM)\nlines.map(str).print()"
    before = list(sys.path)
    (found,) = plans_of(write_script(folder / "jobs", body))
    assert found.stream_graph.nodes[-1].parallelism == 3
    assert found.job.absent_modules == ()
    assert sys.path == before
    assert "fraud" not in sys.modules


def test_a_module_beside_the_job_may_use_pyflink(tmp_path: Path) -> None:
    """Only a file that names PyFlink meets its surroundings at once; here they come with the import."""
    (tmp_path / "flow.py").write_text(
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "def main():\n"
        "    env = StreamExecutionEnvironment.get_execution_environment()\n"
        "    env.from_collection([1]).print()\n"
        "    env.execute()\n"
    )
    (tmp_path / "job.py").write_text("import flow\nflow.main()\n")
    assert load_python(tmp_path / "job.py").python is not None
