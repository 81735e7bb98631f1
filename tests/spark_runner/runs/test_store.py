"""The run folder: its states, what it refuses, and that it tells the truth after a kill -9 at any step."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from cli.run_ids import complete_run
from planner.durable import append_json_line, read_json_lines, write_json
from planner.errors import InternalError, OptionError
from spark_runner.clusters.processes import ProcessIdentity, is_alive, this_process
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.temporary_folders import make_temporary_folder
from spark_runner.runs.store import FINAL_STATES, RunStore


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore.under(tmp_path)


def request(**values: object) -> RunRequest:
    return RunRequest(job="job.py", folder=".", **values)


def run_python(code: str, *arguments: str, expect_kill: bool = False) -> str:
    """Run code in another process; `die()` there is a kill -9 of itself."""
    prelude = "import os, signal, sys\nfrom pathlib import Path\ndef die(): os.kill(os.getpid(), signal.SIGKILL)\n"
    done = subprocess.run(
        [sys.executable, "-c", prelude + textwrap.dedent(code), *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == (-signal.SIGKILL if expect_kill else 0), done.stderr
    return done.stdout


def test_a_run_goes_through_its_states_and_keeps_every_event(store: RunStore) -> None:
    run = store.submit(request(), name="word count", run_id="first")
    for state in ("CREATED", "RUNNING", "RESTARTING", "RUNNING", "FINISHED"):
        run.move(state)
    (record,) = store.runs()
    assert (record.id, record.name, record.state, record.died) == ("first", "word count", "FINISHED", False)
    assert record.started is not None and record.ended is not None and record.started <= record.ended
    states = [event["state"] for event in run.events()]
    assert states == ["SUBMITTED", "CREATED", "RUNNING", "RESTARTING", "RUNNING", "FINISHED"]


@pytest.mark.parametrize(("path", "wrong"), [(("CREATED",), "FINISHED"), (("CREATED", "RUNNING", "FAILED"), "RUNNING")])
def test_a_state_that_does_not_follow_is_refused(store: RunStore, path: tuple[str, ...], wrong: str) -> None:
    run = store.submit(request())
    for state in path:
        run.move(state)
    with pytest.raises(InternalError, match=f"to {wrong}"):
        run.move(wrong)
    assert store.runs()[0].state == path[-1]


def test_the_request_comes_back_as_it_was_given(store: RunStore) -> None:
    asked = request(master="spark://a:1,b:2", conf=(("k", "v=1"),), packages=("g:a:1",), py_files=("x.py",), timeout=5)
    assert store.submit(asked).record().request == asked


def test_the_same_id_is_refused_while_it_runs_and_taken_afterwards(store: RunStore) -> None:
    run = store.submit(request(), run_id="nightly")
    run.move("CREATED")
    with pytest.raises(OptionError, match="'nightly' is CREATED already"):
        store.submit(request(), run_id="nightly")
    run.move("CANCELED")
    again = store.submit(request(), run_id="nightly")
    assert again.record().state == "SUBMITTED"
    assert [event["state"] for event in again.events()] == ["SUBMITTED"]


@pytest.mark.parametrize("wrong", ["../up", ".hidden", "a/b", "", "x" * 200])
def test_ids_that_are_no_folder_names_are_refused(store: RunStore, wrong: str) -> None:
    if not wrong:
        pytest.skip("an empty id asks for a fresh one")
    with pytest.raises(OptionError, match="cannot be a run's id"):
        store.submit(request(), run_id=wrong)
    assert not store.root.exists() or store.runs() == ()


def test_of_many_submissions_of_one_id_at_once_exactly_one_wins(store: RunStore) -> None:
    code = """
        from spark_runner.runs.store import RunStore
        from spark_runner.clusters.request import RunRequest
        from planner.errors import OptionError
        sys.stdin.readline()
        try:
            RunStore(Path(sys.argv[1])).submit(RunRequest(job="j", folder="."), run_id="one")
            print("won", flush=True)
            sys.stdin.readline()
        except OptionError:
            print("refused", flush=True)
    """
    command = [sys.executable, "-c", "import sys\nfrom pathlib import Path\n" + textwrap.dedent(code), str(store.root)]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) for _ in range(6)
    ]
    for process in started:
        process.stdin.write("go\n")
    answers = [process.stdout.readline().strip() for process in started]
    for process in started:
        process.communicate(input="end\n" if process.poll() is None else None)
    assert sorted(answers) == ["refused"] * 5 + ["won"]


def test_two_runs_at_once_keep_to_their_own_folders(store: RunStore) -> None:
    first, second = store.submit(request(), run_id="a"), store.submit(request(), run_id="b")
    first.move("CREATED")
    second.move("CREATED")
    second.request_cancel()
    first.move("RUNNING")
    second.move("CANCELED")
    assert {record.id: record.state for record in store.runs()} == {"a": "RUNNING", "b": "CANCELED"}
    assert not first.cancel_requested()


@pytest.mark.parametrize("last", ["SUBMITTED", "CREATED", "RUNNING", "RESTARTING", "FINISHED", "FAILED", "CANCELED"])
def test_after_a_kill_in_any_state_the_run_is_shown_as_it_is(store: RunStore, last: str) -> None:
    code = """
        from spark_runner.runs.store import RunStore
        from spark_runner.clusters.request import RunRequest
        run = RunStore(Path(sys.argv[1])).submit(RunRequest(job="j", folder="."), run_id="killed")
        for state in sys.argv[2].split():
            run.move(state)
        die()
    """
    ways = {
        "SUBMITTED": "",
        "CREATED": "CREATED",
        "CANCELED": "CREATED CANCELED",
        "RESTARTING": "CREATED RUNNING RESTARTING",
    }
    run_python(
        code,
        str(store.root),
        ways.get(last, f"CREATED RUNNING {last}".replace("RUNNING RUNNING", "RUNNING")),
        expect_kill=True,
    )
    (record,) = store.runs()
    if last in FINAL_STATES:
        assert (record.state, record.died) == (last, False)
    else:
        assert (record.state, record.died) == ("FAILED", True)
        assert f"died while the run was {last}" in record.message
    assert store.submit(request(), run_id="killed").record().state == "SUBMITTED"


# Every system call by which a submission or a change of state touches the disk: the process is killed just before each.
STEPS = ["os.fsync", "os.open", "os.write", "os.rename", "os.replace", "os.mkdir", "fcntl.flock", "tempfile.mkstemp"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("occurrence", range(1, 7))
def test_a_kill_before_any_step_on_the_disk_leaves_whole_files(store: RunStore, step: str, occurrence: int) -> None:
    code = """
        import fcntl, importlib, tempfile
        from spark_runner.runs.store import RunStore
        from spark_runner.clusters.request import RunRequest
        store = RunStore(Path(sys.argv[1]))
        module, name = sys.argv[2].split(".")
        module, left = importlib.import_module(module), [int(sys.argv[3])]
        real = getattr(module, name)
        def killing(*arguments, **keywords):
            left[0] -= 1
            if left[0] == 0:
                die()
            return real(*arguments, **keywords)
        setattr(module, name, killing)
        run = store.submit(RunRequest(job="j", folder="."), run_id="torn")
        for state in ("CREATED", "RUNNING", "FINISHED"):
            run.move(state)
        die()
    """
    run_python(code, str(store.root), step, str(occurrence), expect_kill=True)
    for record in store.runs():  # parses: none is torn
        assert record.id == "torn"
        assert record.state in ("FAILED", "FINISHED")
        assert record.died == (record.state == "FAILED")
    again = store.submit(request(), run_id="torn")
    assert again.record().state == "SUBMITTED"
    visible = sorted(entry.name for entry in store.root.iterdir())
    assert visible == [".lock", "torn"]


def test_a_submission_that_is_given_up_leaves_no_run(store: RunStore) -> None:
    kept = store.submit(request(), run_id="kept")
    store.discard(store.submit(request(), run_id="half"))
    assert [record.id for record in store.runs()] == ["kept"]
    assert kept.record().id == "kept"


def test_a_process_is_told_from_another_with_its_number() -> None:
    me = this_process()
    assert is_alive(me) is True
    assert is_alive(ProcessIdentity(pid=me.pid, started="another time", host=me.host)) is False
    assert is_alive(ProcessIdentity(pid=me.pid, started=me.started, host="elsewhere")) is None


def test_a_killed_child_that_nobody_waited_for_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    code = "from spark_runner.clusters.processes import _started; print(_started(int(sys.argv[1])))"
    started = run_python(code, str(child.pid)).strip()
    identity = ProcessIdentity(pid=child.pid, started=started, host=this_process().host)
    assert is_alive(identity) is True
    os.kill(child.pid, signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, and still a zombie of this process
    assert is_alive(identity) is False
    child.wait()


def test_a_torn_last_line_spoils_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    append_json_line(file, {"n": 1})
    with file.open("ab") as events:
        events.write('{"n": 2, "text": "ä'.encode()[:-1])
    append_json_line(file, {"n": 3})
    assert [line["n"] for line in read_json_lines(file)] == [1, 3]


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    write_json(file, {"n": 1})
    with pytest.raises(TypeError):
        write_json(file, {"n": object()})
    assert json.loads(file.read_text()) == {"n": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.json"]


def test_a_run_is_found_by_the_beginning_of_its_id(store: RunStore) -> None:
    for name in ("alpha", "alpine", "beta"):
        store.submit(request(), run_id=name)
    assert store.folder("b").id == "beta"
    with pytest.raises(OptionError, match="fits 2 runs: alpha, alpine"):
        store.folder("al")
    with pytest.raises(OptionError, match="there is no run 'gamma'"):
        store.folder("gamma")


def test_a_killed_run_shows_how_long_it_ran(store: RunStore) -> None:
    code = """
        from spark_runner.runs.store import RunStore
        from spark_runner.clusters.request import RunRequest
        run = RunStore(Path(sys.argv[1])).submit(RunRequest(job="j", folder="."), run_id="killed")
        run.move("CREATED")
        run.move("RUNNING")
        run.sign_of_life()
        later = run.record().started + 7
        os.utime(run.path / "alive", (later, later))
        die()
    """
    run_python(code, str(store.root), expect_kill=True)
    (record,) = store.runs()
    assert record.died and round(record.seconds) == 7


def test_a_run_that_never_ran_took_its_time_since_the_submission(store: RunStore) -> None:
    run = store.submit(request(), run_id="early")
    run.move("CREATED")
    record = run.move("CANCELED")
    assert record.started is None and record.ended is not None
    assert record.seconds == record.ended - record.submitted


def test_a_clock_that_is_set_back_gives_no_negative_time(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    run = store.submit(request(), run_id="early")
    run.move("CREATED")
    run.move("RUNNING")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    record = run.move("FINISHED")
    assert record.seconds == 0
    assert [one.id for one in store.runs()] == ["early"]


def test_the_next_run_removes_what_a_killed_one_left(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    aside, result = tmp_path / "_out.plan-0123456789ab", tmp_path / "out"
    for place in (aside, result):
        place.mkdir()
        (place / "part-0").touch()
    code = """
        import tempfile
        from spark_runner.clusters.temporary_folders import make_temporary_folder
        from spark_runner.runs.store import RunStore
        from spark_runner.clusters.request import RunRequest
        tempfile.tempdir = sys.argv[2]
        run = RunStore(Path(sys.argv[1])).submit(RunRequest(job="j", folder="."), run_id="killed")
        run.note_aside(sys.argv[3])
        run.note_aside(sys.argv[4])
        make_temporary_folder()
        die()
    """
    run_python(code, str(store.root), str(tmp_path), f"file:{aside}", str(result), expect_kill=True)
    mine = make_temporary_folder()
    assert len(list(tmp_path.glob("plan-temporary-*"))) == 2
    store.submit(request(), run_id="next")
    assert list(tmp_path.glob("plan-temporary-*")) == [mine]
    assert not aside.exists()
    assert (result / "part-0").exists(), "only places that a sink wrote aside are removed"


def test_runs_stay_out_of_git(store: RunStore) -> None:
    store.submit(request())
    assert (store.root.parent / ".gitignore").read_text() == "*\n"
    (store.root.parent / ".gitignore").write_text("mine\n")
    store.submit(request())
    assert (store.root.parent / ".gitignore").read_text() == "mine\n"


def test_ids_complete_in_the_shell(store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("alpha", "alpine", "beta"):
        store.submit(request(), run_id=name)
    monkeypatch.chdir(tmp_path)
    assert complete_run("al") == ["alpine", "alpha"]


def test_secrets_are_not_kept(store: RunStore) -> None:
    asked = request(
        master="sc://host:15002/;use_ssl=true;token=abc123;x=1",
        conf=(
            ("spark.ui.port", "4040"),
            ("spark.hadoop.fs.s3a.access.key", "AKIA"),
            ("app.db", "jdbc:x?password=hunter2"),
        ),
        arguments=("--input", "a.csv", "--db-password", "hunter3", "--api-token=xyz", "password=hunter4"),
    )
    run = store.submit(asked)
    run.move("CREATED")
    kept = "".join(path.read_text(encoding="utf-8") for path in run.path.iterdir())
    for secret in ("abc123", "AKIA", "hunter2", "hunter3", "xyz", "hunter4"):
        assert secret not in kept
    known = run.record().request
    assert known.conf[0] == ("spark.ui.port", "4040") and known.arguments[:3] == ("--input", "a.csv", "--db-password")
    assert known.arguments[4] == "--api-token=*********(redacted)"
    assert known.master == "sc://host:15002/;use_ssl=true;token=*********(redacted);x=1"


def test_spark_s_own_setting_says_what_is_secret(store: RunStore) -> None:
    run = store.submit(request(conf=(("spark.redaction.regex", "geheim"), ("app.geheim", "x"), ("app.password", "y"))))
    assert dict(run.record().request.conf) == {
        "spark.redaction.regex": "geheim",
        "app.geheim": "*********(redacted)",
        "app.password": "y",
    }


def test_only_the_owner_may_look_into_a_run(store: RunStore) -> None:
    run = store.submit(request())
    run.move("CREATED")
    run.note_server("sc://host/;token=x", "session")
    run.keep_report({})
    assert [oct(folder.stat().st_mode & 0o777) for folder in (store.root.parent, store.root, run.path)] == ["0o700"] * 3
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in run.path.iterdir()} == dict.fromkeys(
        ("run.json", "events.jsonl", "server.json", "report.json"), "0o600"
    )


def test_an_id_inside_a_record_never_leads_to_another_folder(store: RunStore, tmp_path: Path) -> None:
    run = store.submit(request(), run_id="honest")
    victim = tmp_path / "victim"
    run.path.rename(victim)
    (store.root / "z").mkdir()
    record = json.loads((victim / "run.json").read_bytes())
    write_json(store.root / "z" / "run.json", {**record, "id": "z/../../../victim"})
    assert store.runs() == ()
    assert "is of another run" in store.unreadable()[0]
    for asked in ("z", "z/../../../victim"):
        with pytest.raises(OptionError):
            store.folder(asked)
    with pytest.raises(OptionError, match="is of another run"):
        store.submit(request(), run_id="z")


DAMAGE = [
    "",
    "[]",
    "null",
    "{}",
    '{"id": "bad"}',
    "[" * 100_000,
    *({"attempt": None}, {"name": 7}, {"state": "DONE"}, {"state": []}, {"submitted": "now"}, {"started": "x"}),
    *({"request": 5}, {"request": {}}, {"request": {"job": 1, "folder": "."}}, {"process": {}}, {"more": 1}),
    {"request": {"job": "j", "folder": ".", "master": 5}},
]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: str(damage)[:40])
def test_a_damaged_record_is_told_and_hides_no_other_run(store: RunStore, damage: str | dict[str, object]) -> None:
    store.submit(request(), run_id="good")
    bad = store.submit(request(), run_id="bad")
    record = json.loads((bad.path / "run.json").read_bytes())
    text = damage if isinstance(damage, str) else json.dumps({**record, **damage})
    (bad.path / "run.json").write_text(text, encoding="utf-8")
    assert [record.id for record in store.runs()] == ["good"]
    assert len(store.unreadable()) == 1 and "bad/run.json cannot be read" in store.unreadable()[0]
    with pytest.raises(OptionError, match="cannot be read"):
        store.folder("bad")


@pytest.mark.parametrize("ended_by", ["its own process", "a process that is gone"])
def test_pods_that_an_ended_run_could_not_remove_are_told(store: RunStore, ended_by: str) -> None:
    """A cluster or a machine may be too slow for the end of a run: what it left is said, and who removes it."""
    run = store.submit(request(), run_id="slow")
    run.move("CREATED")
    run.note_server("k8s://https://host:6443", "plan-1")
    assert run.left_on_server() is None
    run.move("CANCELED", message="plan cancel")
    if ended_by == "a process that is gone":
        record = json.loads((run.path / "run.json").read_bytes())
        write_json(run.path / "run.json", {**record, "process": {**record["process"], "started": "long ago"}})
    assert run.seen().state == "CANCELED"
    told = "plan cancel; its pods may be left at k8s://https://host:6443: `plan cancel slow` removes them"
    assert run.seen().message == told
    run.forget_server()
    assert run.seen().message == "plan cancel"
