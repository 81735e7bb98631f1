"""What scripts in public repositories do besides calling PyFlink's API: each line here once failed or misled."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.loading import LoadOptions, load_job
from planner.frontends.python_files.job_modules import own_modules
from planner.frontends.python_loader import load_python
from tests.support.pyflink_scripts import HEAD, names, plan_of, write_script

KAFKA = """
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream.connectors.kafka import KafkaSource
topic = (KafkaSource.builder().set_bootstrap_servers('a:1').set_topics('t')
         .set_value_only_deserializer(SimpleStringSchema()).build())
"""


def refusal(folder: Path, body: str) -> JobDefinitionError:
    with pytest.raises(JobDefinitionError) as refused:
        plan_of(folder, body)
    return refused.value


def test_a_result_is_waited_for(tmp_path: Path) -> None:
    script = write_script(tmp_path, "lines.print()\nenv.execute('a').wait()", execute=False)
    assert load_python(script).name == "a"


def test_pyflink_has_a_file_of_no_machine(tmp_path: Path) -> None:
    body = "import os, pyflink, pyflink.datastream\n"
    body += "lines.print().name(os.path.dirname(os.path.abspath(pyflink.__file__)) + pyflink.datastream.__file__)"
    assert names(plan_of(tmp_path, body))[-1] == "Sink: /pyflink/pyflink/datastream/__init__.py"


@pytest.mark.parametrize("marked", [True, False])
def test_relative_imports_work_as_with_python_m(tmp_path: Path, marked: bool) -> None:
    folder = tmp_path / "fraud" / "jobs"
    folder.mkdir(parents=True)
    if marked:
        for package in (tmp_path / "fraud", folder):
            (package / "__init__.py").write_text("")
    (folder / "near.py").write_text("def shout(line): return line.upper()\n")
    (tmp_path / "fraud" / "far.py").write_text("def whisper(line): return line.lower()\n")
    body = "from .near import shout\nfrom ..far import whisper\nlines.map(shout).map(whisper).print()"
    before = (list(sys.path), list(sys.meta_path))
    job = load_python(write_script(folder, body))
    assert [one.behaviour.target.__module__ for one in job.operators if one.kind == "map" and one.helper is None] == [
        "fraud.jobs.near",
        "fraud.far",
    ]
    assert (list(sys.path), list(sys.meta_path)) == before
    assert "fraud" not in sys.modules


def test_a_run_finds_the_modules_that_explain_finds(tmp_path: Path) -> None:
    """And it ships them: they are the job's own while the script runs its jobs."""
    folder = tmp_path / "fraud" / "jobs"
    folder.mkdir(parents=True)
    (tmp_path / "fraud" / "far.py").write_text("def whisper(line): return line.lower()\n")
    script = write_script(folder, "from fraud.far import whisper\nlines.map(whisper).print()")
    shipped: list[str] = []
    load_python(script, options=LoadOptions(run=lambda job: shipped.extend(own_modules(str(folder))) or []))
    assert "fraud.far" in shipped


def test_an_environment_inside_the_project_is_not_the_jobs_own(tmp_path: Path) -> None:
    installed, folder = tmp_path / ".venv" / "site-packages", tmp_path / "jobs"
    for made in (installed, folder):
        made.mkdir(parents=True)
    (installed / "a_client_library.py").write_text("")
    (tmp_path / "shared.py").write_text("")
    sys.path.append(str(installed))
    try:
        load_python(write_script(folder, "import shared, a_client_library\nlines.print()"))
        assert "shared" in own_modules(str(folder)) and "a_client_library" not in own_modules(str(folder))
    finally:
        sys.path.remove(str(installed))
        sys.modules.pop("a_client_library", None)


def test_an_error_inside_python_is_told_at_the_scripts_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frozen modules have names like <frozen os>, which look like files of the current folder."""
    monkeypatch.chdir(tmp_path)
    write_script(tmp_path, "import os\nos.environ['A_MISSING_NAME']")
    with pytest.raises(JobDefinitionError) as refused:
        load_python(Path("script.py"))
    assert str(refused.value.location) == f"script.py:{HEAD.count(chr(10)) + 2}"
    assert refused.value.hint is not None and "frozen" not in refused.value.hint
    assert "A_MISSING_NAME=VALUE plan explain script.py" in refused.value.hint


def test_no_watermark_strategy_is_named(tmp_path: Path) -> None:
    for body in ("env.from_source(topic, None, 'k').print()", "lines.assign_timestamps_and_watermarks(None).print()"):
        error = refusal(tmp_path, KAFKA + body)
        assert "the watermark strategy is None" in error.message and "no_watermarks()" in str(error.hint)
        assert error.location is not None and error.location.line == (HEAD + KAFKA).count("\n") + 1


@pytest.mark.parametrize(
    "body",
    [
        "from pyflink.datastream.connectors.file_system import FileSource, StreamFormat\n"
        "FileSource.for_record_stream_format(StreamFormat.text_line_format(), 'a', None)",
        "from pyflink.common import Encoder\nfrom pyflink.datastream.connectors.file_system import FileSink\n"
        "FileSink.for_row_format(base_path=None, encoder=Encoder.simple_string_encoder())",
    ],
)
def test_a_path_of_none_is_refused(tmp_path: Path, body: str) -> None:
    error = refusal(tmp_path, body)
    assert "a path is None" in error.message and "arguments after `--`" in str(error.hint)


def test_a_script_that_fails_later_still_has_the_plans_of_its_jobs(tmp_path: Path) -> None:
    script = write_script(tmp_path, "lines.print()\nenv.execute('one')\n{}['gone']", execute=False)
    with pytest.raises(JobDefinitionError) as refused:
        load_job(script)
    assert f"1 job was executed before this, and can be planned alone: {script}:1" in str(refused.value.hint)
    for picked in ("1", "one"):
        job = load_job(f"{script}:{picked}")
        assert job.name == "one"
        assert "failed after it executed this job" in job.notes[-1] and "KeyError: 'gone'" in job.notes[-1]
    with pytest.raises(JobDefinitionError, match="KeyError: 'gone'"):
        load_job(f"{script}:2")
