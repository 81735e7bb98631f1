"""Writes down what real PyFlink gives for random jobs: the fixture `recorded.json` of the tests here.

    python -m tests.fuzz.recording write FOLDER [COUNT]      the scripts, by a Python that has plan
    python tests/fuzz/recording.py run FOLDER                what each prints, by a Python that has PyFlink
    python -m tests.fuzz.recording keep FOLDER               those that ended well become the fixture

Jobs that PyFlink's own timing decides are left out: those with late records.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

_LIMIT = 300  # seconds for one script; the first in a JVM waits for it to start
_BEGIN, _END = "=====BEGIN", "=====END"
FIXTURE = Path(__file__).with_name("recorded.json")


def write(folder: Path, count: int) -> None:
    """The scripts of the first seeds, with the files that they read."""
    from tests.fuzz.generation import random_job
    from tests.fuzz.rendering import Style, render, write_sources

    for seed in range(count):
        job, place = random_job(seed), folder / str(seed)
        place.mkdir(parents=True, exist_ok=True)
        write_sources(job, place)
        (place / "job.py").write_text(render(job, place, Style(api="pyflink")), encoding="utf-8")


def run(folder: Path) -> None:
    """Every script that has no result yet, several in one JVM; a script that takes too long ends its JVM."""
    while waiting := [one for one in _scripts(folder) if not (one.parent / "result.json").exists()]:
        command = [sys.executable, "-u", __file__, "child", *map(str, waiting[:20])]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        _keep(done.stdout, waiting[0])


def _scripts(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/job.py"), key=lambda one: int(one.parent.name))


def _keep(said: str, first: Path) -> None:
    found = False
    for part in said.split(_BEGIN + " ")[1:]:
        script, _, rest = part.partition("\n")
        body, _, how = rest.partition(_END + " ")
        well = how.startswith("well")
        lines = [line for line in body.splitlines() if _is_ours(line)] if well else body.splitlines()[-15:]
        result = {"well": well, "lines": lines}
        Path(script).with_name("result.json").write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
        found = True
    if not found:
        first.with_name("result.json").write_text(json.dumps({"well": False, "lines": said.splitlines()[-15:]}))


def _is_ours(line: str) -> bool:
    """`2> p3 'a'|1|2`, and without the subtask."""
    rest = line.split("> ", 1)[-1] if line[:1].isdigit() else line
    return rest.startswith("p") and "|" in rest


def child(scripts: list[str]) -> None:
    """One script after the other in one JVM."""
    signal.signal(signal.SIGALRM, _too_long)
    for script in scripts:
        print(f"\n{_BEGIN} {script}", flush=True)
        signal.alarm(_LIMIT)
        how = "well"
        try:
            runpy.run_path(script, run_name="__main__")
        except BaseException as error:
            print(str(error)[-1500:])
            how = "badly"
        signal.alarm(0)
        print(f"\n{_END} {how}", flush=True)


def _too_long(*_: Any) -> None:
    print(f"\ntook too long\n{_END} badly", flush=True)
    os._exit(1)  # its job goes on in the JVM


def keep(folder: Path) -> None:
    """The fixture: the lines of each seed, without the numbers of subtasks, in order."""
    found = {}
    for script in _scripts(folder):
        if not script.with_name("result.json").exists():
            continue
        result = json.loads(script.with_name("result.json").read_text(encoding="utf-8"))
        if result["well"]:
            lines = [line.split("> ", 1)[-1] if line[:1].isdigit() else line for line in result["lines"]]
            found[script.parent.name] = sorted(lines)
    FIXTURE.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "write":
        write(Path(given[0]), int(given[1]) if len(given) > 1 else 120)
    elif what == "child":
        child(given)
    else:
        {"run": run, "keep": keep}[what](Path(given[0]))
