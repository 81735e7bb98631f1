"""The frame of the command line: exit codes, errors, common options, pipes."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import cli
from cli import console
from cli.app import COMMANDS, EXTRAS, main, report_error
from cli.exit_codes import EXIT_CODES
from cli.typer_group import build_group
from planner import errors
from planner.errors import InternalError, PlanError

ROOT = Path(__file__).parents[2]
WORD_COUNT = str(ROOT / "samples/word_count/job.yaml")

Run = tuple[int, str, str]


def plan(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """The real program, in a process of its own, its output piped."""
    script = "import sys; from cli.app import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        check=False,
    )


@pytest.fixture(autouse=True)
def plain_again() -> object:
    yield
    console.set_color("auto")


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert cli.__version__ == declared
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"plan {declared}\n"


def test_the_version_is_answered_without_typer() -> None:
    script = "import sys; from cli.app import main; main(['--version']); print('typer' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_explaining_a_yaml_job_loads_neither_rich_nor_graphviz_nor_other_commands() -> None:
    script = f"import sys; from cli.app import main; main(['explain', {WORD_COUNT!r}]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    top = {name.split(".")[0] for name in loaded}
    assert not top & {"rich", "graphviz", "pygraphviz", "pyspark", "spark_runner", "pandas"}
    commands = {name for name in loaded if name.startswith("cli.commands.")}
    assert commands == {"cli.commands.explain"}
    assert "planner.frontends.python" not in loaded


def test_every_kind_of_error_has_an_exit_code() -> None:
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, PlanError)}
    assert set(EXIT_CODES) == kinds - {PlanError}


@pytest.mark.parametrize(("kind", "code"), EXIT_CODES.items())
def test_an_error_becomes_its_exit_code_and_one_message(
    kind: type[PlanError], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(arguments: list[str]) -> int:
        raise kind("it does not work", hint="try something else")

    monkeypatch.setattr("cli.app._run", refuse)
    assert main([]) == code
    assert capsys.readouterr().err == "error: it does not work\n  try something else\n"


def test_our_own_bug_is_4_and_a_traceback_only_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(arguments: list[str]) -> int:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("cli.app._run", fail)
    assert main(["explain"]) == 4
    captured = capsys.readouterr()
    assert "ZeroDivisionError: oops" in captured.err and "--traceback" in captured.err
    assert "Traceback" not in captured.err
    with pytest.raises(ZeroDivisionError):
        main(["explain", "--traceback"])


def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("cli.app._run", interrupt)
    assert main([]) == 130


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["exlpain"], "error: there is no command 'exlpain'\n  did you mean `explain`?\n"),
        (["graph"], "`plan render JOB -o job.svg` draws a job, `plan show JOB` prints its graphs\n"),
        (["draw", "job.py"], "`plan render JOB -o job.svg` draws a job"),
        (["stop", "x"], "`plan cancel ID` ends a run"),
        (["kill", "x"], "`plan cancel ID` ends a run"),
        (["logs", "x"], "`plan runs ID` shows what happened in a run, and where its log is\n"),
        (["list"], "error: there is no command 'list'\n  `plan runs` lists runs, `plan rule` lists rules\n"),
        (["help", "exlpain"], "error: there is no command 'exlpain'\n  did you mean `explain`?\n"),
        (["explain", "--fromat", "json"], "error: there is no option --fromat\n  did you mean `--format`?\n"),
        (["show", "--stage", "jobs"], "did you mean `job`?\n"),
        (["explain", "--edge"], "see plan explain --help\n"),
        (["--color", "purple", "explain"], "error: --color is 'purple'\n  use one of auto, always, never\n"),
        (["rule", "CH099"], "error: there is no rule 'CH099'\n  did you mean `CH009`?\n"),
        (["explain", "samples/word_count/jop.yaml"], "did you mean"),
        (["explain", WORD_COUNT, "extra"], "unexpected extra argument"),
    ],
)
def test_a_wrong_option_is_2_and_names_the_nearest(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


def test_a_mistake_in_the_job_shows_its_place_and_no_traceback(tmp_path: Path) -> None:
    job = tmp_path / "job.yaml"
    job.write_text("operators:\n  - {id: a, type: source}\n  - {id: b, type: map, inptu: a}\n", encoding="utf-8")
    done = plan("explain", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("job.yaml:3:")
    assert ": error: " in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


def test_a_job_that_raises_is_the_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("import planner\n1 / 0\n", encoding="utf-8")
    done = plan("explain", cwd=tmp_path)
    assert done.returncode == 2
    assert "job.py:2" in done.stderr and "Traceback" not in done.stderr


def test_json_stands_alone_on_stdout() -> None:
    for arguments in (["explain"], ["show", "--stage", "job"], ["order"]):
        done = plan(*arguments, WORD_COUNT, "--format", "json", "--color", "always")
        assert done.stderr == ""
        assert json.loads(done.stdout)["name"] == "word count stream"


def test_one_stage_as_json_is_its_name_and_that_stage() -> None:
    whole = json.loads(plan("show", WORD_COUNT, "--stage", "all", "--format", "json").stdout)
    for stage, key in (("stream", "stream_graph"), ("job", "job_graph"), ("execution", "execution_graph")):
        part = json.loads(plan("show", WORD_COUNT, "--stage", stage, "--format", "json").stdout)
        assert part == {"name": whole["name"], key: whole[key]}


def test_piped_text_is_plain_and_not_wrapped() -> None:
    done = plan("explain", str(ROOT / "tests/golden/jobs/awkward_names.yaml"), COLUMNS="40")
    assert "\x1b" not in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) > 100


def test_colour_can_be_forced_and_forbidden() -> None:
    assert "\x1b[" in plan("--color", "always", "explain", WORD_COUNT).stdout
    assert "\x1b[" in plan("explain", WORD_COUNT, "--color=always").stdout
    assert "\x1b[" not in plan("explain", WORD_COUNT, FORCE_COLOR="1", NO_COLOR="1").stdout
    plain = plan("explain", WORD_COUNT, "--color", "never").stdout
    assert plain == plan("explain", WORD_COUNT).stdout


def test_a_closed_pipe_is_quiet() -> None:
    command = (
        f"{sys.executable} -c 'import sys; from cli.app import main; sys.exit(main())' show {WORD_COUNT} | head -1"
    )
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout == "word count stream\n"
    assert done.stderr == ""


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    job = str(ROOT / "tests/golden/jobs/every_obstacle.yaml")
    for arguments in (
        ("explain", job),
        ("show", job),
        ("render", job, "-f", "dot"),
        ("explain", job, "--format", "json"),
    ):
        assert plan(*arguments, PYTHONHASHSEED="1").stdout == plan(*arguments, PYTHONHASHSEED="2").stdout


def test_names_that_the_terminal_cannot_show_do_not_stop_the_answer() -> None:
    done = plan("explain", str(ROOT / "tests/golden/jobs/awkward_names.yaml"), PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\u691c" in done.stdout


def _present() -> list[str]:
    return [name for name, module in COMMANDS.items() if (ROOT / f"{module.replace('.', '/')}.py").exists()]


@pytest.mark.parametrize("name", _present())
def test_every_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: plan {name}")
    assert f"  plan {name}" in text.split("Example", 1)[1]


def test_the_program_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    text = capsys.readouterr().out
    listed = text.split("Commands:")[1]
    assert [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "] == _present()


def test_completion_offers_commands_options_and_job_files() -> None:
    def complete(words: str) -> str:
        count = str(len(words.split(" ")) - 1)
        return plan(_PLAN_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=count).stdout

    assert "explain" in complete("plan ex")
    assert "--stage" in complete("plan show --st")
    assert "samples/word_count/job.yaml" in complete("plan explain samples/word_count/")
    assert "execution" in complete("plan show --stage e")


def test_a_module_that_does_not_exist_is_no_command() -> None:
    group = build_group({"explain": "cli.commands.explain", "dance": "cli.commands.dance"})
    assert group.list_commands(None) == ["explain"]  # type: ignore[arg-type]


def test_only_one_place_builds_a_console() -> None:
    for path in sorted((ROOT / "cli").rglob("*.py")):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        builds = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Console"]
        assert not builds or path.name == "console.py", path


def test_internal_errors_are_ours() -> None:
    assert EXIT_CODES[InternalError] == 4


def test_help_may_be_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    for word, option in ((["help", "explain"], ["explain", "--help"]), (["help"], ["--help"])):
        assert main(word) == 0
        said = capsys.readouterr().out
        assert main(option) == 0
        assert said == capsys.readouterr().out


def test_a_missing_extra_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    brought = {
        re.split(r"[^\w-]", need)[0]: extra
        for extra, needs in project["optional-dependencies"].items()
        if extra != "test"
        for need in needs
    }
    assert set(brought.items()) >= set(EXTRAS.items())
    for package, extra in EXTRAS.items():
        assert report_error(ModuleNotFoundError(f"No module named '{package}'", name=package)) == 2
        assert f"pip install 'plan-inspector[{extra}]'" in capsys.readouterr().err
    assert report_error(ModuleNotFoundError("No module named 'x'", name="x")) == 4
