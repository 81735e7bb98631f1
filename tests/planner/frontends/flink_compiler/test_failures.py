"""What Flink says when a program is wrong, as one message with the place in the user's file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from planner.errors import PlanError
from planner.frontends.flink_compiler.failures import failure_of
from planner.frontends.flink_compiler.process import Outcome
from planner.frontends.flink_compiler.programs import Asked
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.frontends.flink_compiler.sql_script import read_statements
from planner.job import Location

SCRIPT = "CREATE TABLE a (x INT);\n\nINSERT INTO s\nSELECT nowhere.x FROM a;\n"
_VALIDATION = "org.apache.flink.table.api.ValidationException"
_INNER = "org.apache.calcite.sql.validate.SqlValidatorException"
_CALCITE = "org.apache.calcite.runtime.CalciteContextException"


def failed(file: str, *causes: tuple[str, str], main_class: str | None = None, script: str = SCRIPT) -> PlanError:
    """The error where the second statement of the script, or a jar's main, failed for these causes."""
    path, way = Path(file), file.rpartition(".")[2]
    asked = Asked(way=way, path=path, flink="2.3.0", origin="test", interpreter=sys.executable, program={}, depends={})
    failure = {"kind": "java", "causes": [list(one) for one in causes], "place": 1, "frames": [], "java_frames": []}
    outcome = Outcome(answers=({"failure": failure},), said="", exit_code=0, seconds=1.0)
    request = FlinkRequest(main_class=main_class)
    found = failure_of(outcome, asked, read_statements(script) if way == "sql" else [], request)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("From line 2, column 8 to line 2, column 16: Table 'nowhere' not found", (4, 8)),
        ("At line 1, column 13: Table 'nowhere' not found", (3, 13)),
        ("From line 0, column 0 to line 0, column 0: Table 'nowhere' not found", (3, 1)),  # it does not know
        ("Table 'nowhere' not found", (3, 1)),
    ],
)
def test_the_place_is_one_of_the_file(said: str, place: tuple[int, int]) -> None:
    bare = "Table 'nowhere' not found"
    error = failed("job.sql", (_VALIDATION, f"SQL validation failed. {said}"), (_CALCITE, said), (_INNER, bare))
    assert error.location is not None
    assert (error.location.line, error.location.column) == place
    assert error.message == bare


@pytest.mark.parametrize(("hint", "line"), [("", 1), (" /*+ OPTIONS('rows'='1') */", 2)])
def test_options_of_a_hint_are_wrong_in_the_statement(hint: str, line: int) -> None:
    script = f"CREATE TABLE a (x INT) WITH ('connector'='datagen');\nSELECT * FROM a{hint};\n"
    source = (_VALIDATION, "Unable to create a source for reading table 'default_catalog.default_database.a'.")
    error = failed("job.sql", source, (_VALIDATION, "Unsupported options found for 'datagen'."), script=script)
    assert error.location is not None
    assert error.location.line == line


def test_a_misspelled_connector_is_compared_with_those_that_flink_has() -> None:
    said = (
        "Could not find any factory for identifier 'datgen' that implements "
        "'org.apache.flink.table.factories.DynamicTableFactory' in the classpath.\n\n"
        "Available factory identifiers are:\n\nblackhole\ndatagen\nprint"
    )
    assert "did you mean `datagen`?" in str(failed("job.sql", (_VALIDATION, said)).hint)


def test_words_below_each_other_become_a_list() -> None:
    said = "Unsupported options found for 'datagen'.\n\nUnsupported options:\n\nrows\n\nSupported options:\n\na\nb.c\nd"
    assert failed("job.sql", (_VALIDATION, said)).message == (
        "Unsupported options found for 'datagen'. Unsupported options: rows; Supported options: a, b.c, d"
    )


@pytest.mark.parametrize(
    ("main_class", "named"), [("jobs.Job", "the class jobs.Job"), (None, "the class that it names")]
)
def test_a_class_without_main_is_named(main_class: str | None, named: str) -> None:
    said = "The given program class does not have a main(String[]) method."
    cause = ("org.apache.flink.client.program.ProgramInvocationException", said)
    error = failed("job.jar", cause, main_class=main_class)
    assert error.message == f"job.jar: {named} has no public static main(String[])"
    assert "--class" in str(error.hint)


@pytest.mark.parametrize("said", ["java.lang.OutOfMemoryError: Java heap space", "Too small maximum heap"])
def test_a_java_without_memory_is_told_so(said: str) -> None:
    asked = Asked(way="sql", path=Path("job.sql"), flink="2.3.0", origin="", interpreter="", program={}, depends={})
    frame = "\tat java.base/java.lang.CompoundEnumeration.next(ClassLoader.java:2730)"
    for failure in (
        {"kind": "no jvm", "text": "", "java": "java"},
        {"kind": "python", "type": "Py4JError", "text": ""},
    ):
        answers = ({"failure": failure},)
        outcome = Outcome(answers=answers, said=f"{said}\n{frame}\n", exit_code=0, seconds=1.0)
        error = failure_of(outcome, asked, [], FlinkRequest())
        assert error is not None
        assert error.message == "there is not enough memory for Java"
        assert str(error.hint).endswith(said)  # without the frames


def ended(way: str, said: str, *answers: dict[str, object], code: int | None = 0) -> PlanError | None:
    """The error of a program that ended so."""
    path = Path(f"job.{way}")
    asked = Asked(way=way, path=path, flink="2.3.0", origin="", interpreter="", program={}, depends={})
    return failure_of(Outcome(answers=answers, said=said, exit_code=code, seconds=1.0), asked, [], FlinkRequest())


@pytest.mark.parametrize("way", ["sql", "jar"])
@pytest.mark.parametrize("jobs", [(), ({"job": {}},)])
def test_a_java_that_ends_for_its_memory_is_told_so(way: str, jobs: tuple[dict[str, object], ...]) -> None:
    said = "Terminating due to java.lang.OutOfMemoryError: Java heap space\n"
    error = ended(way, said, *jobs, {"end": {"exit": 3}})
    assert error is not None
    assert error.message.endswith("needs more memory than Java may take: Java heap space")


@pytest.mark.parametrize("way", ["sql", "jar", "script"])
def test_jobs_before_the_time_limit_are_not_all(way: str) -> None:
    error = ended(way, "", {"job": {}}, code=None)
    assert error is not None
    assert "within 120 s" in error.message


@pytest.mark.parametrize("way", ["jar", "script"])
@pytest.mark.parametrize(
    ("said", "read", "is_error"),
    [
        ("no such file", False, True),  # more jobs may follow, and are missing
        ("no such element", True, False),  # with records it might not have failed
        ("Job was submitted in detached mode. Results of job execution are not available.", False, True),
    ],
)
def test_a_program_that_fails_after_a_job(way: str, said: str, read: bool, is_error: bool) -> None:
    failure = {"kind": "java", "causes": [["a.B", said]], "place": None, "frames": [], "java_frames": []}
    path = Path(f"job.{way}")
    asked = Asked(way=way, path=path, flink="2.3.0", origin="test", interpreter=sys.executable, program={}, depends={})
    answers = ({"job": {}}, *([{"read": 1}] if read else []), {"failure": failure})
    outcome = Outcome(answers=answers, said="", exit_code=0, seconds=1.0)
    found = failure_of(outcome, asked, [], FlinkRequest())
    assert (found is not None) == is_error


def test_a_java_that_was_killed_after_a_job_is_an_error() -> None:
    for way in ("sql", "jar"):
        error = ended(way, "", {"job": {}}, {"end": {"exit": -9}})
        assert error is not None
        assert "signal 9 ended Java" in error.message
    assert ended("jar", "", {"job": {}}, {"end": {"exit": 3}}) is None  # main's own System.exit
    assert ended("sql", "", {"job": {}}, {"end": {"exit": 3}}) is not None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (5, "the script ended itself with exit code 5 before it executed a job"),
        (0, "the script ended without executing a job"),
        (
            -9,
            "asking Flink broke off: signal 9 ended the script's Python, perhaps since the machine has no memory left",
        ),
    ],
)
def test_a_script_that_leaves_by_itself_is_told_how(code: int, said: str) -> None:
    asked = Asked(way="script", path=Path("job.py"), flink="2.3.0", origin="", interpreter="", program={}, depends={})
    outcome = Outcome(answers=({"started": True},), said="", exit_code=code, seconds=1.0)
    error = failure_of(outcome, asked, [], FlinkRequest())
    assert error is not None
    assert error.message == said
    if code >= 0:  # after a job that is as good as any other end
        done = Outcome(answers=({"started": True}, {"job": {}}), said="", exit_code=code, seconds=1.0)
        assert failure_of(done, asked, [], FlinkRequest()) is None


def test_the_way_to_an_error_has_the_users_files_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = Asked(way="script", path=Path("job.py"), flink="2.3.0", origin="", interpreter="", program={}, depends={})
    frames = [["<frozen runpy>", 88, ""], [f"{tmp_path}-2/lib.py", 3, "other()"], [str(tmp_path / "job.py"), 7, "f()"]]
    failure = {"kind": "python", "type": "ValueError", "text": "ValueError: x", "frames": frames}
    outcome = Outcome(answers=({"failure": failure},), said="", exit_code=0, seconds=1.0)
    error = failure_of(outcome, asked, [], FlinkRequest())
    assert error is not None
    assert (error.location, error.hint) == (Location("job.py", 7), "job.py:7: f()")
