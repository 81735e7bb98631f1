"""`plan lint` as it is called: arguments, exit codes, what goes where."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.app import main
from tests.support.project import Project

CLEAN = "operators: [{id: s, type: source, uid: s}, {id: p, type: print, input: s}]"
FOUND = "operators: [{id: s, type: source}, {id: p, type: print, input: s}]"


@pytest.fixture(autouse=True)
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.folder)


def test_exit_codes(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write("clean.yaml", CLEAN)
    project.write("found.yaml", FOUND)
    project.write("bad.yaml", "operators: 1")
    assert main(["lint", "clean.yaml"]) == 0
    assert capsys.readouterr() == ("", "no findings in 1 file\n")
    assert main(["lint", "found.yaml"]) == 1
    assert main(["lint", "bad.yaml", "clean.yaml"]) == 1
    assert main(["lint", "found.yaml", "--exit-zero"]) == 0
    assert main(["lint", "found.yaml", "--fail-on", "error"]) == 0
    assert main(["lint", "bad.yaml", "--fail-on", "error"]) == 1
    project.write("pyproject.toml", "[tool.plan.lint]\nfail_on = 'error'\n")
    assert main(["lint", "found.yaml"]) == 0
    assert main(["lint", "found.yaml", "--fail-on", "warning"]) == 1
    project.write("pyproject.toml", "")
    assert main(["lint", "missing.yaml"]) == 2
    assert main(["lint", "clean.yaml", "--select", "XX"]) == 2
    assert main(["lint", "bad.yaml", "--ignore", "PLX"]) == 2
    assert main(["lint", "clean.yaml", "--baseline", "missing.json"]) == 2


def test_a_baseline_that_is_behind_does_not_fail(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write("job.yaml", CLEAN.replace("input: s", "chaining: disable, input: s"))
    assert main(["lint", "job.yaml", "--baseline", "plan.lock.json", "--update-baseline"]) == 0
    project.write("job.yaml", CLEAN)
    capsys.readouterr()
    assert main(["lint", "job.yaml", "--baseline", "plan.lock.json", "--ignore", "PL002"]) == 0
    assert "PL005 stale-baseline-entry note" in capsys.readouterr().out


def test_the_default_is_the_job_of_the_settings(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write("deep/found.yaml", FOUND)
    project.write("pyproject.toml", '[tool.plan]\njob = "deep/found.yaml"\n')
    assert main(["lint"]) == 1
    assert "deep/found.yaml:1" in capsys.readouterr().out


def test_without_a_job_the_baseline_says_which_are_meant(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """So that `plan lint --update-baseline`, which findings advise, works as it is printed."""
    for name in ("jobs/a.yaml", "jobs/b.yaml"):
        project.write(name, CLEAN.replace("operators", f"name: {name[5]}\noperators"))
    assert main(["lint", "--update-baseline"]) == 2
    assert main(["lint", "jobs", "--update-baseline"]) == 0
    project.write("jobs/a.yaml", "name: a\n" + CLEAN.replace("uid: s", "uid: t"))
    capsys.readouterr()
    assert main(["lint", "--baseline", "plan.lock.json"]) == 1
    assert "jobs/a.yaml:2" in capsys.readouterr().out
    assert main(["lint", "--update-baseline"]) == 0
    assert "0 added, 1 changed, 1 kept, 0 pruned" in capsys.readouterr().err
    assert main(["lint", "--baseline", "plan.lock.json"]) == 0


def test_a_baseline_without_facts_is_recorded_again_where_it_was_made(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write("job.yaml", CLEAN)
    assert main(["lint", "--update-baseline"]) == 0
    lock = json.loads((project.folder / "plan.lock.json").read_text())
    for entry in (*lock["jobs"].values(), *lock["operators"]):
        entry.pop("declared", None)
    (project.folder / "plan.lock.json").write_text(json.dumps({**lock, "version": 1}))
    capsys.readouterr()
    assert main(["lint", "--baseline", "plan.lock.json"]) == 1
    said = capsys.readouterr().out
    assert "which kept no settings and no code: only operators, edges and ids were compared" in said
    assert "fix: on the revision that is deployed, run plan lint --update-baseline, and commit the file" in said
    assert main(["lint", "--update-baseline"]) == 0
    assert main(["lint", "--baseline", "plan.lock.json"]) == 0


def test_a_job_may_take_the_api_from_a_module_beside_it(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write("jobs/shared/__init__.py", "from .start import env_of\n")
    project.write(
        "jobs/shared/start.py",
        "import planner\n\ndef env_of():\n    return planner.StreamExecutionEnvironment.get_execution_environment()\n",
    )
    project.write("jobs/job.py", "from shared import env_of\nenv = env_of()\nenv.execute('through')\n")
    project.write("jobs/rows.py", "import sqlite3\nsqlite3.connect('').execute('x')\n")
    main(["lint", "jobs", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["files"] == 1


def test_a_folder_stands_for_its_job_files(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write("jobs/a.yaml", FOUND.replace("operators: ", "operators:\n  "))
    project.write("jobs/other.yaml", "a: 1")
    project.write("jobs/.hidden/c.yaml", FOUND)
    project.write("jobs/library.py", "import planner\n")
    python = "from planner import StreamExecutionEnvironment\n"
    project.write("jobs/b/job.py", python + "StreamExecutionEnvironment.get_execution_environment().execute()\n")
    main(["lint", "jobs", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["files"] == 2
    assert main(["lint", "jobs/.hidden"]) == 1
    project.write("none/x.txt", "")
    assert main(["lint", "none"]) == 2


def test_select_and_ignore_take_codes_and_prefixes(project: Project) -> None:
    project.write("job.yaml", FOUND)
    assert main(["lint", "job.yaml", "--select", "PL0"]) == 0
    assert main(["lint", "job.yaml", "--select", "PL0,PL101"]) == 1
    assert main(["lint", "job.yaml", "--ignore", "PL1"]) == 0
    project.write("pyproject.toml", '[tool.plan.lint]\nignore = ["PL101"]\n')
    assert main(["lint", "job.yaml"]) == 0
    assert main(["lint", "job.yaml", "--ignore", "PL102"]) == 1, "the command line wins"


def test_the_baseline_of_the_settings_is_used(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write("pyproject.toml", '[tool.plan.lint]\nbaseline = "locks/plan.lock.json"\n')
    (project.folder / "locks").mkdir()
    project.write("job.yaml", CLEAN)
    assert main(["lint", "job.yaml"]) == 2, "it is named, and not there"
    assert main(["lint", "job.yaml", "--update-baseline"]) == 0
    assert "1 added, 0 changed, 0 kept, 0 pruned" in capsys.readouterr().err
    assert main(["lint", "job.yaml"]) == 0
    project.write("job.yaml", CLEAN.replace("uid: s", "uid: t"))
    assert main(["lint", "job.yaml"]) == 1
    assert "PL002" in capsys.readouterr().out


def test_updating_is_no_lint_and_keeps_what_cannot_be_planned(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write("a.yaml", "name: a\n" + FOUND)
    project.write("b.yaml", "name: b\n" + FOUND)
    assert main(["lint", "a.yaml", "b.yaml", "--update-baseline"]) == 0
    assert capsys.readouterr().out == ""
    before = project.lock.read_text(encoding="utf-8")
    project.write("b.yaml", "name: b\noperators: 1\n")
    assert main(["lint", "a.yaml", "b.yaml", "--update-baseline"]) == 1
    assert "PL900" in capsys.readouterr().out
    assert project.lock.read_text(encoding="utf-8") == before


def test_a_damaged_baseline_is_named_with_its_line(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write("job.yaml", CLEAN)
    main(["lint", "job.yaml", "--update-baseline"])
    text = project.lock.read_text(encoding="utf-8")
    project.write("plan.lock.json", text.replace('  "jobs"', '<<<<<<< ours\n  "jobs"'))
    assert main(["lint", "job.yaml", "--baseline", "plan.lock.json"]) == 2
    said = capsys.readouterr().err
    assert "plan.lock.json:3" in said
    assert "merge conflict" in said
    for damaged in ("[]", '{"version": 1}', '{"version": 1, "jobs": {"a": {"operators": {}}}}'):
        project.write("plan.lock.json", damaged)
        assert main(["lint", "job.yaml", "--baseline", "plan.lock.json"]) == 2


def test_a_job_that_the_baseline_does_not_know_is_only_mentioned(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write("a.yaml", "name: a\n" + CLEAN)
    project.write("b.yaml", "name: b\n" + CLEAN)
    main(["lint", "a.yaml", "--update-baseline"])
    capsys.readouterr()
    assert main(["lint", "a.yaml", "b.yaml", "--baseline", "plan.lock.json"]) == 0
    assert "not in the baseline yet: 'b'" in capsys.readouterr().err


@pytest.mark.parametrize("format", ["json", "sarif", "github", "junit", "text"])
def test_every_format_goes_to_stdout_alone_or_to_a_file(
    project: Project, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    project.write("job.yaml", FOUND)
    assert main(["lint", "job.yaml", "--format", format]) == 1
    printed = capsys.readouterr()
    assert printed.err == ""
    assert main(["lint", "job.yaml", "--format", format, "-o", "report"]) == 1
    assert capsys.readouterr().out == ""
    assert Path("report").read_text(encoding="utf-8") == printed.out


def test_linting_imports_neither_rich_nor_spark(project: Project) -> None:
    project.write("job.yaml", FOUND)
    script = (
        "import sys; from cli.app import main; main(['lint', 'job.yaml', '--exit-zero']);"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'rich', 'pyspark', 'spark_runner', 'graphviz'}))"
    )
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONPATH": root}
    )
    assert done.stdout.endswith("[]\n")


def test_every_report_is_the_same_bytes_for_every_hash_seed(project: Project) -> None:
    root = Path(__file__).parents[3]
    jobs = sorted(str(path) for kind in ("py", "yaml") for path in (root / "samples").glob(f"*/job.{kind}"))
    recorded = run_seeded("0", "lint", *jobs, "--baseline", str(project.lock), "--update-baseline")
    assert recorded == b""
    lock = project.lock.read_bytes()
    project.lock.write_bytes(lock.replace(b'"chained": false', b'"chained": true').replace(b'"id": "1', b'"id": "2'))
    for arguments in (
        ("lint", *jobs, "--baseline", str(project.lock), "--format", "json"),
        ("diff", str(project.lock), jobs[0]),
    ):
        assert run_seeded("1", *arguments) == run_seeded("2", *arguments)
    project.lock.unlink()
    run_seeded("3", "lint", *jobs, "--baseline", str(project.lock), "--update-baseline")
    assert project.lock.read_bytes() == lock


def run_seeded(seed: str, *arguments: str) -> bytes:
    script = "import sys; from cli.app import main; main(sys.argv[1:])"
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        env={"PYTHONPATH": root, "PYTHONHASHSEED": seed},
    )
    return done.stdout
