"""The process beside Flink: whatever a program does, it ends, and nothing of it is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.frontends.flink_compiler import process
from planner.frontends.flink_compiler.process import Outcome, run_beside_flink

BEGIN = """
import json, os, subprocess, sys, time
request = json.load(open(sys.argv[1]))
def answer(**one):
    with open(request["answers"], "a") as file:
        file.write(json.dumps(one) + "\\n")
"""


def run(tmp_path: Path, body: str, limit: float = 30) -> tuple[Outcome, Path]:
    program, left = tmp_path / "program.py", tmp_path / "left"
    program.write_text(BEGIN + body)
    outcome = run_beside_flink({"left": str(left)}, time_limit=limit, program=program)
    return outcome, left


def test_answers_and_output_are_apart(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    outcome, _ = run(tmp_path, "answer(job=1)\nprint('hello')\nanswer(end={})\n")
    assert (outcome.answers, outcome.said, outcome.exit_code) == (({"job": 1}, {"end": {}}), "hello\n", 0)
    assert capfd.readouterr().out == ""


def test_of_a_megabyte_the_end_is_kept(tmp_path: Path) -> None:
    outcome, _ = run(tmp_path, "print('x' * (1 << 20))\nprint('the end')\n")
    assert outcome.last_lines[-1] == "the end"
    assert len(outcome.said) <= 64 * 1024


def test_a_program_that_hangs_is_ended_and_its_answers_stay(tmp_path: Path) -> None:
    outcome, _ = run(tmp_path, "answer(job=1)\ntime.sleep(600)\n", limit=2)
    assert (outcome.of("job"), outcome.exit_code) == ([1], None)


@pytest.mark.parametrize("apart", ["False", "True"], ids=["in its group", "in a session of its own"])
def test_what_a_program_forks_is_ended_too(tmp_path: Path, apart: str) -> None:
    body = f"child = subprocess.Popen(['sleep', '600'], start_new_session={apart})\n"
    outcome, left = run(tmp_path, body + "open(request['left'], 'w').write(str(child.pid))\n")
    assert outcome.exit_code == 0
    wait_for(lambda: has_ended(Path("/proc", left.read_text())))


def test_the_temporary_folder_is_removed(tmp_path: Path) -> None:
    outcome, left = run(tmp_path, "open(request['left'], 'w').write(request['temporary'])\n")
    assert outcome.exit_code == 0
    assert not os.path.lexists(left.read_text())


def test_an_answer_that_was_cut_off_is_no_answer(tmp_path: Path) -> None:
    outcome, _ = run(tmp_path, "answer(job=1)\nopen(request['answers'], 'a').write('{\"job\":')\nos._exit(3)\n")
    assert (outcome.of("job"), outcome.exit_code) == ([1], 3)


def test_nothing_is_left_when_the_caller_is_killed(tmp_path: Path) -> None:
    program, left = tmp_path / "program.py", tmp_path / "left"
    program.write_text(
        BEGIN + f"import runpy\nours = runpy.run_path({str(process.PROGRAM)!r})\n"
        "ours['_hold_on_to_the_caller'](request['temporary'])\n"
        "open(request['left'] + '.new', 'w').write(request['temporary'] + '\\n' + str(os.getpid()))\n"
        "os.rename(request['left'] + '.new', request['left'])\ntime.sleep(600)\n"
    )
    call = (
        "from pathlib import Path\nfrom planner.frontends.flink_compiler.process import run_beside_flink\n"
        f"run_beside_flink({{'left': {str(left)!r}}}, time_limit=600, program=Path({str(program)!r}))\n"
    )
    with subprocess.Popen([sys.executable, "-c", call]) as caller:
        try:
            wait_for(left.exists)
        finally:
            caller.kill()
    folder, running = left.read_text().split()
    wait_for(lambda: not os.path.lexists(folder) and has_ended(Path("/proc", running)))


def has_ended(entry: Path) -> bool:
    try:
        return "State:\tZ" in (entry / "status").read_text()
    except OSError:
        return True


def wait_for(ready: Callable[[], bool]) -> None:
    for _ in range(300):
        if ready():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen within 30 s")
