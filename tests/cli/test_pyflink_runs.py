"""`plan run script.py`: every job runs when the script executes it, and the script gets what it collects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.app import main
from cli.pyflink_scripts import is_script_to_run, run_script
from planner.errors import JobDefinitionError, UnsupportedOnSpark
from planner.frontends.loading import LoadOptions
from spark_runner.clusters.request import RunRequest
from spark_runner.runs import preparation

SCRIPT = """
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([1, 2])
print("collected", list(numbers.map(lambda x: x).execute_and_collect()))
print("first", numbers.execute_and_collect(limit=1))
numbers.print()
env.execute("last")
print("behind it")
"""


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(preparation, "check_machine", lambda request: None)

    def write(text: str) -> RunRequest:
        (tmp_path / "script.py").write_text(text)
        return RunRequest(job="script.py", folder=str(tmp_path), master="local[2]")

    return write


def test_a_script_gets_its_records_and_goes_on(request_of: Any, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[tuple[str, str | None]] = []

    def see_through(prepared: Any, folder: Any, request: Any) -> tuple[int, list[Any]]:
        seen.append((folder.record().request.job, prepared.plan.job.name))
        return 0, [7, 8]

    assert run_script(request_of(SCRIPT), LoadOptions(), see_through) == 0
    assert capsys.readouterr().out == "collected [7, 8]\nfirst [7]\nbehind it\n"
    assert seen == [
        ("script.py:1", "DataStream Collect"),
        ("script.py:2", "DataStream Collect"),
        ("script.py:3", "last"),
    ]


def test_a_job_that_fails_ends_the_script(request_of: Any, capsys: pytest.CaptureFixture[str]) -> None:
    guarded = SCRIPT.replace('env.execute("last")', 'try:\n    env.execute("last")\nexcept Exception:\n    pass')
    codes = iter([(0, []), (0, []), (3, [])])
    assert run_script(request_of(guarded), LoadOptions(), lambda prepared, folder, request: next(codes)) == 3
    assert "behind it" not in capsys.readouterr().out


def test_what_a_script_does_twice_does_not_run_twice(request_of: Any) -> None:
    """A name of Flink 1.x behind a job that ran: the script is not loaded again for that version."""
    seen: list[str] = []

    def see_through(prepared: Any, folder: Any, request: Any) -> tuple[int, list[Any]]:
        seen.append(prepared.plan.job.name)
        return 0, [7]

    old = "from pyflink.datastream import TimeCharacteristic\n"
    with pytest.raises(JobDefinitionError, match="TimeCharacteristic"):
        run_script(request_of(SCRIPT + old), LoadOptions(), see_through)
    assert seen == ["DataStream Collect", "DataStream Collect", "last"]
    seen.clear()
    assert run_script(request_of(old + SCRIPT), LoadOptions(), see_through) == 0  # nothing has run yet
    assert len(seen) == 3


def test_a_job_that_uses_pyflink_through_a_module_beside_it_gets_its_records_too(
    request_of: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "surroundings.py").write_text(SCRIPT.split("numbers", maxsplit=1)[0])
    request = request_of("from surroundings import env\nnumbers" + SCRIPT.split("numbers", maxsplit=1)[1])
    assert is_script_to_run("script.py")
    assert run_script(request, LoadOptions(), lambda prepared, folder, request: (0, [7, 8])) == 0
    assert "collected [7, 8]" in capsys.readouterr().out


def test_what_does_not_run_is_refused_before_anything_starts(request_of: Any) -> None:
    imported = "from pyflink.datastream.functions import SinkFunction\n"
    sink = "env.add_jars('file:///sink.jar')\nnumbers.add_sink(SinkFunction('org.example.Sink'))"
    request = request_of(imported + SCRIPT.replace("numbers.print()", sink))
    with pytest.raises(UnsupportedOnSpark, match="sink"):
        run_script(request, LoadOptions(), lambda prepared, folder, request: (0, []))


def test_only_whole_pyflink_scripts_run_that_way(request_of: Any, tmp_path: Path) -> None:
    request_of(SCRIPT)
    (tmp_path / "ours.py").write_text("from planner import StreamExecutionEnvironment\n")
    assert is_script_to_run("script.py")
    assert not is_script_to_run("script.py:1")
    assert not is_script_to_run("ours.py")


def test_a_script_gets_its_arguments_and_its_parallelism(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.from_collection([1]).map(str).print()\n"
        "env.execute(sys.argv[1])\n"
    )
    assert main(["run", str(script), "--dry-run", "--parallelism", "3", "--", "named"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("named: batch")
    assert "3 subtasks" in said


def test_a_detached_run_keeps_its_arguments() -> None:
    request = RunRequest(job="script.py", folder=".", arguments=("--input", "a b"), parallelism=3)
    assert RunRequest.from_dict(json.loads(json.dumps(request.to_dict()))) == request
