"""`plan diff` as it is called: files, baselines, revisions, exit codes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cli.app import main

JOB = """name: orders
parallelism: 2
operators:
  - {id: orders, type: source, name: orders}
  - {id: parse, type: map, name: parse, input: orders}
  - {id: totals, type: sum, name: totals, input: parse, key_by: user}
  - {id: out, type: print, input: totals}
"""
PYTHON = """from planner import StreamExecutionEnvironment
from keys import first

env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([("a", 1)]).key_by(first).sum(1).uid("sums").print()
env.execute("pairs")
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def test_the_same_plan_is_no_change(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", JOB)
    write("b.yaml", "# moved\n" + JOB.replace("id: parse", "id: x").replace("input: parse", "input: x"))
    assert main(["diff", "a.yaml", "b.yaml", "--exit-code"]) == 0
    assert capsys.readouterr().out == "orders: no changes\n"


def test_a_break_is_shown_with_its_consequence_for_state(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", JOB)
    write("b.yaml", JOB.replace("name: parse,", "name: parse, parallelism: 4,"))
    assert main(["diff", "a.yaml", "b.yaml"]) == 0
    text = capsys.readouterr().out
    assert "state-breaking" in text
    assert "upstream no longer chains" in text
    assert main(["diff", "a.yaml", "b.yaml", "--exit-code", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["state-breaking"] == 2, "the source and the sum"
    assert {"level", "part", "kind", "subject", "message", "before", "after", "job"} <= set(document["changes"][0])


def test_fixes_of_a_diff_speak_of_no_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    """Two files are compared, and --update-baseline would do nothing for them."""
    write("a.yaml", JOB.replace("id: totals", "uid: totals, id: totals"))
    changes = ("key_by: user, max_parallelism: 64", "key_by: country", "slot_sharing_group: heavy, key_by: user")
    for changed in changes:
        write("b.yaml", JOB.replace("key_by: user", changed).replace("id: totals", "uid: totals, id: totals"))
        main(["diff", "a.yaml", "b.yaml"])
        text = capsys.readouterr().out
        assert "fix: " in text and "baseline" not in text
    write("b.yaml", JOB.replace("  - {id: totals, type: sum, name: totals, input: parse, key_by: user}\n", "")
          .replace("input: totals", "input: parse"))  # fmt: skip
    main(["diff", "a.yaml", "b.yaml"])
    assert "fix: put it back  b.yaml:1:1\n" in capsys.readouterr().out


def test_only_safe_changes_exit_with_zero() -> None:
    write("a.yaml", JOB)
    write("b.yaml", JOB.replace("name: orders\n", "name: purchases\n", 1))
    assert main(["diff", "a.yaml", "b.yaml", "--exit-code"]) == 0


def test_a_baseline_is_compared_by_the_jobs_name(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", JOB)
    write("b.yaml", JOB.replace("name: orders\n", "name: b\n", 1))
    assert main(["lint", "a.yaml", "b.yaml", "--update-baseline"]) == 0
    capsys.readouterr()
    assert main(["diff", "plan.lock.json", "b.yaml", "--exit-code"]) == 0
    assert capsys.readouterr().out == "b: no changes\n"
    write("c.yaml", JOB.replace("name: orders\n", "name: c\n", 1))
    assert main(["diff", "plan.lock.json", "c.yaml"]) == 2
    assert main(["diff", "plan.lock.json", "plan.lock.json", "--exit-code"]) == 0


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def test_a_revision_is_read_with_the_modules_beside_it(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("jobs/pairs.py", PYTHON)
    write("jobs/keys.py", "def first(pair):\n    return pair[0]\n")
    write("jobs/job.yaml", JOB)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    assert main(["diff", "git:HEAD:jobs/pairs.py", "jobs/pairs.py", "--exit-code"]) == 0
    write("jobs/pairs.py", PYTHON.replace("first", "second"))
    write("jobs/keys.py", "def second(pair):\n    return pair[1]\n")
    capsys.readouterr()
    assert main(["diff", "git:HEAD:jobs/pairs.py", "jobs/pairs.py", "--exit-code"]) == 1
    assert "was keyed by first and is keyed by second" in capsys.readouterr().out
    assert main(["diff", "git:HEAD:jobs/job.yaml", "jobs/job.yaml", "--exit-code"]) == 0
    monkeypatch.chdir(here / "jobs")
    assert main(["diff", "git:HEAD:job.yaml", "job.yaml", "--exit-code"]) == 0, "relative to here"
    assert main(["diff", "git:HEAD~7:job.yaml", "job.yaml"]) == 2
    assert "there is no revision 'HEAD~7' in this repository" in capsys.readouterr().err
    assert main(["diff", "git:HEAD:jobs/job.yaml", "job.yaml", "--exit-code"]) == 0, "or to the repository"


def test_what_cannot_be_read_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", JOB)
    git("init", "-q")
    for argument in ("git:a.yaml", "git:nowhere:a.yaml", "missing.yaml", "missing.json"):
        assert main(["diff", argument, "a.yaml"]) == 2
        assert "error:" in capsys.readouterr().err


# --- all that changed since a revision --------------------------------------------------------------------------------


@pytest.fixture
def repository(here: Path) -> Path:
    """Two branches: `main` with three jobs and helpers, and a branch with nothing changed yet."""
    write("jobs/pairs.py", PYTHON.replace("from keys", "from lib.keys"))
    write("jobs/lib/__init__.py", "")
    write("jobs/lib/keys.py", "def first(pair):\n    return pair[0]\n")
    write("jobs/orders.yaml", JOB)
    write("jobs/other.yaml", JOB.replace("name: orders\n", "name: other\n", 1))
    write("values.yaml", "replicas: 3\n")
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "first")
    git("checkout", "-qb", "branch")
    return here


def reviewed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, str]:
    """The verdict by file."""
    capsys.readouterr()
    assert main(["diff", "--base", "main", *arguments, "--format", "json"]) == code
    return {one["file"]: one["verdict"] for one in json.loads(capsys.readouterr().out)["reviews"]}


@pytest.mark.usefixtures("repository")
def test_only_the_jobs_that_changed_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert reviewed(capsys) == {}
    write("jobs/orders.yaml", JOB.replace("name: parse,", "name: parse, parallelism: 4,"))
    write("values.yaml", "replicas: 4\n")
    write("jobs/lib/more.py", "x = 1\n")
    assert reviewed(capsys) == {"jobs/orders.yaml": "state-breaking"}
    assert reviewed(capsys, "jobs/other.yaml", "values.yaml", "jobs/lib/more.py") == {}
    assert reviewed(capsys, "jobs", "--exit-code", code=1) == {"jobs/orders.yaml": "state-breaking"}
    assert reviewed(capsys, "--fail-on", "state-breaking", code=1)
    write("jobs/orders.yaml", JOB.replace("name: orders\n", "name: purchases\n", 1))
    assert reviewed(capsys, "--exit-code") == {"jobs/orders.yaml": "safe"}


@pytest.mark.usefixtures("repository")
def test_a_job_whose_module_changed_counts_as_changed(capsys: pytest.CaptureFixture[str]) -> None:
    write("jobs/lib/keys.py", "def first(pair):\n    return pair[1]\n")
    assert list(reviewed(capsys)) == ["jobs/pairs.py"]
    write("jobs/lib/keys.py", "def first(pair:\n")
    assert reviewed(capsys, code=2) == {"jobs/pairs.py": "cannot be planned"}
    Path("jobs/lib/keys.py").unlink()
    assert reviewed(capsys, code=2) == {"jobs/pairs.py": "cannot be planned"}


@pytest.mark.usefixtures("repository")
def test_a_yaml_job_whose_function_changed_counts_as_changed(capsys: pytest.CaptureFixture[str]) -> None:
    """It imports nothing: its functions are named, and what they use may lie in a further module."""
    write("jobs/rates.py", "RATE = 2\n")
    write(
        "jobs/f.py",
        "from rates import RATE\n\n\ndef best(a, b):\n    return a * RATE\n\n\ndef other(a):\n    return a\n",
    )
    write(
        "jobs/best.yaml",
        JOB.replace("type: sum", 'type: reduce, function: "./f.py:best"').replace("orders\n", "best\n", 1),
    )
    git("add", ".")
    git("commit", "-qm", "functions")
    git("branch", "-f", "main")
    write("jobs/f.py", Path("jobs/f.py").read_text().replace("return a\n", "return -a\n"))
    assert reviewed(capsys) == {}, "no job uses it"
    write("jobs/rates.py", "RATE = 3\n")
    assert reviewed(capsys) == {"jobs/best.yaml": "result"}


def test_modules_above_the_job_are_those_of_the_revision(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = """from pyflink.datastream import StreamExecutionEnvironment
from shared.width import WIDTH
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda x: x).set_parallelism(WIDTH).print()
env.execute("wide")
"""
    write("jobs/wide/job.py", script)
    write("shared/__init__.py", "")
    write("shared/width.py", "WIDTH = 2\n")
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "first")
    write("shared/width.py", "WIDTH = 3\n")
    monkeypatch.chdir(here / "jobs")
    assert main(["diff", "--base", "main"]) == 0
    assert "parallelism 2 -> 3" in capsys.readouterr().out


def test_a_setting_of_an_operator_that_pyflink_merged_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    script = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(4)
ones = env.from_collection([1]).filter(lambda x: x).name("some").set_parallelism(4)
ones.key_by(lambda x: x).reduce(max).print()
env.execute("merged")
"""
    write("old.py", script)
    write("new.py", script.replace('"some").set_parallelism(4)', '"some").set_parallelism(2)'))
    assert main(["diff", "old.py", "new.py"]) == 0
    assert capsys.readouterr().out.count("parallelism 4 -> 2") == 1


@pytest.mark.usefixtures("repository")
def test_a_script_that_flink_compiles_is_compared_where_it_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLINK_HOME", "nowhere")
    write("jobs/job.sql", "SELECT 1;")
    git("add", ".")
    assert main(["diff", "--base", "main"]) == 0
    told = capsys.readouterr()
    assert told.out == "no job changed since main\n"
    assert "note: jobs/job.sql changed too, and is compared only where it is named" in told.err
    assert main(["diff", "--base", "main", "jobs/job.sql"]) == 2, "asked, and not passed over"
    told = capsys.readouterr()
    assert "FLINK_HOME: there is no Flink in nowhere" in told.err
    assert "changed too" not in told.err


@pytest.mark.usefixtures("repository")
def test_added_removed_and_moved_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    write("jobs/new.yaml", JOB.replace("name: orders\n", "name: new\n", 1).replace("id: out", "id: sink"))
    Path("jobs/other.yaml").unlink()
    git("mv", "jobs/orders.yaml", "jobs/renamed.yaml")
    found = reviewed(capsys)
    assert found["jobs/renamed.yaml"] == "no changes", "git sees that it moved"
    assert found["jobs/other.yaml"] == "state-breaking"
    assert found["jobs/new.yaml"] == "result"


@pytest.mark.usefixtures("repository")
def test_a_branch_is_compared_with_where_it_left(capsys: pytest.CaptureFixture[str]) -> None:
    git("checkout", "-q", "main")
    write("jobs/other.yaml", JOB.replace("name: orders\n", "name: other\n", 1).replace("user", "country"))
    git("commit", "-qam", "main went on")
    git("checkout", "-q", "branch")
    assert reviewed(capsys) == {}, "what others did on main is none of this branch's changes"


@pytest.mark.usefixtures("repository")
def test_one_job_is_compared_with_head(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "jobs/orders.yaml", "--exit-code"]) == 0
    assert capsys.readouterr().out == "orders: no changes\n"
    write("jobs/orders.yaml", JOB.replace("parallelism: 2", "parallelism: 3"))
    assert main(["diff", "jobs/orders.yaml", "--exit-code"]) == 1
    text = capsys.readouterr().out
    assert text.count("parallelism 2 -> 3") == 1
    assert "parallelism 2 -> 3 on 4 operators" in text
    assert "totals  tasks 4 -> 6, slots 2 -> 3, channels 4 -> 9, network buffers" in text
    assert main(["diff", "a", "b", "c"]) == 2
    assert main(["diff", "git:HEAD:jobs/orders.yaml"]) == 2


@pytest.mark.usefixtures("repository")
def test_the_fix_of_lint_stands_with_the_change(capsys: pytest.CaptureFixture[str]) -> None:
    write("jobs/orders.yaml", JOB.replace("name: parse,", "name: parse, parallelism: 4,"))
    assert main(["diff", "--base", "main"]) == 0
    text = capsys.readouterr().out
    assert "fix: set the parallelism of parse to 2  jobs/orders.yaml:5:5" in text
    assert text.endswith("1 job compared with main: 1 state-breaking\n")


def test_what_cannot_be_compared_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", JOB)
    assert main(["diff", "--base", "main"]) == 2
    assert "there is no git repository here" in capsys.readouterr().err
    git("init", "-q")
    assert main(["diff", "--base", "nowhere"]) == 2
    assert "there is no revision 'nowhere'" in capsys.readouterr().err
    git("add", ".")
    git("commit", "-qm", "first")
    assert main(["diff", "--base", "HEAD", "missing.py"]) == 2
    assert "there is no file 'missing.py', neither here nor in HEAD" in capsys.readouterr().err
