"""`plan run`, `plan runs` and `plan cancel` as a user meets them: real processes, real Spark, real signals."""

from __future__ import annotations

import functools
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.app import main
from spark_runner.clusters import session
from spark_runner.runs.store import RunStore
from tests.support.session_runs import SMALL_DRIVER

ROOT = Path(__file__).parents[3]
LONGEST = 240  # seconds; only a run that hangs meets it
PLAN = [sys.executable, "-c", "import sys; from cli.app import main; sys.exit(main())"]

WORDS = """
    from planner import StreamExecutionEnvironment, Types
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    (env.from_collection(["b a", "a", "c a"], type_info=Types.STRING())
        .flat_map(lambda line: line.split(), output_type=Types.STRING())
        .map(lambda word: (word, 1), output_type=Types.TUPLE([Types.STRING(), Types.LONG()]))
        .key_by(lambda pair: pair[0], key_type=Types.STRING())
        .sum(1)
        .print())
    env.execute("words")
"""
SLOW = """
    import time
    from planner import StreamExecutionEnvironment, Types
    env = StreamExecutionEnvironment.get_execution_environment()
    def wait(number):
        time.sleep(1)
        return number
    env.from_collection(list(range(1000)), type_info=Types.LONG()).map(wait, output_type=Types.LONG()).print()
    env.execute("slow")
"""
BROKEN = """
    from planner import StreamExecutionEnvironment, Types
    env = StreamExecutionEnvironment.get_execution_environment()
    def halve(number):
        return 10 // number
    env.from_collection([5, 0], type_info=Types.LONG()).map(halve, output_type=Types.LONG()).print()
    env.execute("broken")
"""
TICKS = """
    name: ticks
    parallelism: 2
    operators:
      - {id: ticks, type: source, format: rate, options: {rowsPerSecond: "5"}}
      - {id: pairs, type: map, input: ticks, function: "./ticks.py:pair", output: "k bigint, n bigint"}
      - {id: out, type: sink, input: pairs, format: json, path: out}
"""
PAIR = """
    def pair(row):
        return row["value"] % 3, 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"words.py": WORDS, "slow.py": SLOW, "broken.py": BROKEN, "ticks.yaml": TICKS, "ticks.py": PAIR}
    for name, text in files.items():
        (tmp_path / name).write_text(textwrap.dedent(text))
    return tmp_path


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PLAN_CLASS_ARCHIVE": os.environ.get("PLAN_CLASS_ARCHIVE", "on"),
        "CI": "1",
    }


def plan(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PLAN, *arguments], cwd=folder, env=environment(), capture_output=True, text=True, timeout=LONGEST
    )


@pytest.fixture
def started(folder: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts `plan` commands in the background, and ends those that still run."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*PLAN, *arguments],
            cwd=folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


def runs(folder: Path) -> dict[str, dict[str, Any]]:
    return {run["id"]: run for run in json.loads(plan(folder, "runs", "--format", "json").stdout)["runs"]}


def wait_for(folder: Path, run_id: str, text: str) -> None:
    """Wait until the run has told something; a run that never appears is known after a while."""
    events = folder / ".plan" / "runs" / run_id / "events.jsonl"
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        if events.is_file() and text in events.read_text():
            return
        if not events.is_file() and time.monotonic() > deadline - LONGEST + 60:
            break
        time.sleep(0.1)
    raise AssertionError(f"run {run_id} never said {text!r}: {events.read_text() if events.is_file() else 'no events'}")


def wait_until(is_so: Callable[[], bool], *, longest: float = 60) -> None:
    """Wait for what must come soon."""
    deadline = time.monotonic() + longest
    while not is_so():
        assert time.monotonic() < deadline, f"it did not happen within {longest} s"
        time.sleep(0.02)


def test_a_dry_run_prints_the_program_and_starts_nothing(folder: Path) -> None:
    code = "import sys; from cli.app import main; main(sys.argv[1:]); print('pyspark' in sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "words.py", "--dry-run"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert "map-1: Python" in done.stdout and "HASH 2 -> 2" in done.stdout and "one mapInArrow" in done.stdout
    assert done.stderr.strip() == "False"
    assert not (folder / ".plan").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--master", "sparc://x:1"), 2, "is not a Spark master"),
        (("--conf", "novalue"), 2, "is not K=V"),
        (("--timeout", "soon"), 2, "--timeout"),
        (("--trigger", "sometimes"), 2, "--trigger"),
        (("--report", "report.txt"), 2, ".json or an .html"),
        (("--report", "nodir/x.html"), 2, "--report nodir/x.html: there is no folder"),
        (("--id", "../up"), 2, "cannot be a run's id"),
        (("--deploy-mode", "cluster"), 2, "yarn and k8s"),
    ],
)
def test_wrong_options_are_refused_and_leave_nothing(
    folder: Path,
    arguments: tuple[str, ...],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    ended = main(["run", "words.py", *arguments])
    output = capsys.readouterr()
    assert (ended, output.out) == (code, "")
    assert said in output.err
    assert "Traceback" not in output.err
    assert RunStore.under(folder).runs() == ()


def test_a_master_nobody_listens_at_ends_the_run_with_one_message(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    monkeypatch.chdir(folder)
    code = main(["run", "words.py", "--master", f"spark://127.0.0.1:{port}", "--id", "lost"])
    said = capsys.readouterr().err
    assert code == 3
    assert f"no Spark master answers at spark://127.0.0.1:{port}" in said
    assert "Traceback" not in said and "Exception" not in said
    assert RunStore.under(folder).folder("lost").record().state == "FAILED"


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_a_server_that_listens_and_says_nothing_is_given_up(
    folder: Path, scheme: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process, so that nobody waits for as long as users do."""
    for name in ("check_master", "_check_answers"):
        patient = getattr(session, name)
        monkeypatch.setattr(session, name, functools.partial(patient, timeout=0.5))
    monkeypatch.chdir(folder)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"{scheme}://127.0.0.1:{silent.getsockname()[1]}"
        code = main(["run", "words.py", "--master", url, "--id", "silent"])
    said = capsys.readouterr().err
    assert code == 3
    assert url in said
    assert "Traceback" not in said and "Exception" not in said
    assert RunStore.under(folder).folder("silent").record().state == "FAILED"


@pytest.mark.spark
def test_a_run_gives_results_figures_and_a_report(folder: Path) -> None:
    done = plan(
        folder, "run", "words.py", "--master", "local[2]", "--format", "json", "--id", "w", "--report", "r.html"
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "JSON goes alone, and nothing of Spark reaches the terminal"
    document = json.loads(done.stdout)
    assert sorted(line.partition("> ")[2] for line in document["printed"]) == ["(a,3)", "(b,1)", "(c,1)"]
    assert document["state"] == "FINISHED"
    counts = {o["key"]: (o["records_in"], o["records_out"]) for v in document["vertices"] for o in v["operators"]}
    assert counts["flat_map-1"] == (3, 5) and counts["sum-1"][0] == 5
    assert [vertex["state"] for vertex in document["vertices"]] == ["FINISHED"] * len(document["vertices"])
    assert all(vertex["stages"] for vertex in document["vertices"]), "every vertex knows its Spark stage"
    assert "FINISHED" in (folder / "r.html").read_text()
    shown = plan(folder, "runs", "w", "--format", "json")
    kept = json.loads(shown.stdout)
    assert (kept["state"], kept["report"]["id"]) == ("FINISHED", "w")
    assert [event["state"] for event in kept["events"] if event["type"] == "run"] == [
        "SUBMITTED", "CREATED", "RUNNING", "FINISHED",
    ]  # fmt: skip


@pytest.mark.spark
def test_a_job_that_fails_is_restarted_as_its_project_says_and_then_shows_the_users_lines(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.plan.restart_strategy]\ntype = "fixed-delay"\nattempts = 1\ndelay = "100ms"\n'
    )
    done = plan(folder, "run", "broken.py", "--follow", "--id", "b")
    assert done.returncode == 3
    assert "RESTARTING" in done.stdout and "(attempt 2)" in done.stdout
    assert "ZeroDivisionError" in done.stderr and "record: 0" in done.stderr and "in halve" in done.stderr
    assert "py4j" not in done.stderr and "java" not in done.stderr.lower()
    record = runs(folder)["b"]
    assert (record["state"], record["attempt"]) == ("FAILED", 2)


@pytest.mark.spark
def test_ctrl_c_cancels_says_so_and_exits_130(folder: Path, started: Callable[..., subprocess.Popen[str]]) -> None:
    process = started("run", "slow.py", "--id", "s")
    wait_for(folder, "s", "SCHEDULED")
    again = plan(folder, "run", "slow.py", "--id", "s")
    assert again.returncode == 2 and "'s' is RUNNING already" in again.stderr
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to Spark's processes too
    _, messages = process.communicate(timeout=LONGEST)
    assert process.returncode == 130
    assert "canceled by Ctrl-C" in messages and "Traceback" not in messages
    assert (
        messages.index("stopping: Ctrl-C") < messages.index("CANCELED") and "CANCELED on local[*] in -" not in messages
    )
    assert runs(folder)["s"]["state"] == "CANCELED"


@pytest.mark.spark
@pytest.mark.parametrize("moment", ["the JVM starts", "Spark starts"])
def test_ctrl_c_while_it_starts_leaves_no_process(
    moment: str, folder: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    process = started("run", "slow.py", "--id", "s")
    log = folder / ".plan" / "runs" / "s" / "spark.log"
    wait_until(lambda: log.exists() and (moment == "the JVM starts" or log.stat().st_size > 0))
    os.killpg(process.pid, signal.SIGINT)
    _, messages = process.communicate(timeout=LONGEST)
    assert process.returncode == 130
    assert "canceled by Ctrl-C" in messages and "Traceback" not in messages
    assert (
        messages.index("stopping: Ctrl-C") < messages.index("CANCELED") and "CANCELED on local[*] in -" not in messages
    )
    wait_until(lambda: not group_lives(process.pid))


@pytest.mark.spark
def test_a_killed_jvm_is_named_with_its_last_lines_and_secrets_are_kept_nowhere(
    folder: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    process = started("run", "slow.py", "--id", "s", "--conf", "spark.app.password=hunter2")
    wait_for(folder, "s", "SCHEDULED")
    (jvm,) = subprocess.check_output(["pgrep", "-P", str(process.pid), "java"], text=True).split()
    os.kill(int(jvm), signal.SIGKILL)
    _, messages = process.communicate(timeout=LONGEST)
    assert process.returncode == 3
    assert "error: Spark's JVM was killed by SIGKILL while the run went on; its last lines:\n  " in messages
    assert "ConnectionRefused" not in messages and "Traceback" not in messages
    kept = folder / ".plan" / "runs" / "s"
    assert {path.name: path.stat().st_mode & 0o77 for path in kept.iterdir() if path.name != "alive"} == dict.fromkeys(
        ("events.jsonl", "report.json", "run.json", "spark.log"), 0
    )
    assert not any(b"hunter2" in path.read_bytes() for path in kept.iterdir())


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.spark
def test_a_detached_run_is_canceled_from_elsewhere_and_a_killed_one_is_shown_as_dead(folder: Path) -> None:
    done = plan(folder, "run", "slow.py", "--detach", "--conf", "spark.app.token=abc")
    assert done.returncode == 0
    run_id = done.stdout.strip()
    assert runs(folder)[run_id]["state"] in ("CREATED", "RUNNING")
    wait_for(folder, run_id, '"RUNNING"')
    canceled = plan(folder, "cancel", run_id)
    assert (canceled.returncode, canceled.stdout.strip()) == (0, f"run {run_id} CANCELED")
    assert "already" in plan(folder, "cancel", run_id).stdout
    plan(folder, "run", "slow.py", "--detach", "--id", "dies")
    os.kill(runs(folder)["dies"]["process"]["pid"], signal.SIGKILL)
    time.sleep(0.5)
    dead = runs(folder)["dies"]
    assert (dead["state"], dead["died"]) == ("FAILED", True)
    assert "died while the run was" in dead["message"]


@pytest.mark.spark
def test_a_run_that_takes_too_long_is_ended(folder: Path) -> None:
    done = plan(folder, "run", "slow.py", "--timeout", "1s", "--id", "t")
    assert done.returncode == 3
    assert "longer than --timeout 1s" in done.stderr
    assert runs(folder)["t"]["state"] == "FAILED"


@pytest.mark.spark
def test_a_stopped_stream_is_canceled_and_its_figures_are_shown(
    folder: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    process = started("run", "ticks.yaml", "--id", "s", "--report", "r.json", *SMALL_DRIVER)
    wait_for(folder, "s", '"RUNNING","attempt":1}')  # a vertex: the first batch is written
    process.send_signal(signal.SIGTERM)
    _, messages = process.communicate(timeout=LONGEST)
    assert process.returncode == 3
    assert messages.index("stopping: SIGTERM") < messages.index("run s CANCELED on local[*]")
    assert "vertex / operator" in messages and "records in " in messages
    report = json.loads((folder / "r.json").read_text())
    assert (report["state"], {vertex["state"] for vertex in report["vertices"]}) == ("CANCELED", {"CANCELED"})
    assert report["batches"] and report["message"].startswith("SIGTERM")
    assert not list((folder / "out").glob(".b*"))


@pytest.mark.spark
def test_a_batch_that_is_broken_off_leaves_nothing_at_the_sink(
    folder: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    (folder / "ticks.py").write_text("import time\n\n\ndef pair(row):\n    time.sleep(60)\n")
    process = started("run", "ticks.yaml", "--id", "s", *SMALL_DRIVER)
    wait_until((folder / "out" / ".b1").exists, longest=LONGEST)
    os.killpg(process.pid, signal.SIGTERM)  # as `timeout` does it: to Spark's processes too
    _, messages = process.communicate(timeout=LONGEST)
    assert process.returncode == 3
    assert "SIGTERM; the current batch was left: the next run on the checkpoint runs it again" in messages
    assert not (folder / "out").exists()


@pytest.mark.spark
def test_a_job_runs_as_a_script_too(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "words.py"], cwd=folder, env=environment(), capture_output=True, text=True, timeout=LONGEST
    )
    assert done.returncode == 0, done.stderr
    assert sorted(line.partition("> ")[2] for line in done.stdout.splitlines()) == ["(a,3)", "(b,1)", "(c,1)"]
    assert "Flat Map" in done.stderr


@pytest.mark.spark
def test_a_detached_run_writes_its_report_and_leaves_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(folder / "tmp"))
    done = plan(folder, "run", "words.py", "--detach", "--id", "d", "--report", "r.json")
    assert done.returncode == 0, done.stderr
    wait_for(folder, "d", '"FINISHED"')
    wait_until((folder / "r.json").exists)
    assert json.loads((folder / "r.json").read_text())["state"] == "FINISHED"
    wait_until(lambda: not list((folder / "tmp").glob("plan-temporary-*")))


@pytest.mark.spark
@pytest.mark.parametrize("script", [False, True], ids=["plan run", "python job.py"])
def test_a_closed_pipe_ends_the_run_quietly(folder: Path, script: bool) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "words.py"] if script else [*PLAN, "run", "words.py"]
    done = subprocess.run(
        command, cwd=folder, env=environment(), stdout=writer, stderr=subprocess.PIPE, text=True, timeout=LONGEST
    )
    os.close(writer)
    assert done.returncode == 141, done.stderr
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr
    (record,) = runs(folder).values()
    assert record["state"] in ("CANCELED", "FINISHED"), "it had written everything before it noticed, or not"
    assert "the pipe was closed" in record["message"]


@pytest.mark.parametrize("wrong", [".sum(1)", ".sum(1).set_parallelism(0)"], ids=["when it runs", "when it is defined"])
def test_a_script_tells_errors_as_plan_run_does(folder: Path, wrong: str) -> None:
    text = textwrap.dedent(WORDS).replace(".sum(1)", wrong)
    (folder / "wrong.py").write_text(text)
    direct = subprocess.run(
        [sys.executable, "wrong.py"],
        cwd=folder,
        env={**environment(), "PLAN_MASTER": "sparc://x:1"},
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    options = ("--master", "sparc://x:1") if wrong == ".sum(1)" else ()
    through_plan = plan(folder, "run", "wrong.py", *options)
    assert (direct.returncode, direct.stderr) == (through_plan.returncode, through_plan.stderr)
    assert direct.returncode == 2 and "error: " in direct.stderr and "Traceback" not in direct.stderr
