"""Write down what real PyFlink prints for scripts: the truth of tests/spark_runner/pyflink.

Run by a Python that has PyFlink: `python benchmarks/pyflink/record_results.py recorded.json script.py ...`. Scripts run
in copies, so that what they write lies beside them; one that takes longer than two minutes ends the recording.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_LIMIT = 120  # seconds for one script
_BODY = re.compile(r"=====BEGIN (\w+)\n(.*?)=====END (\w+) (\w+)\n", re.DOTALL)


def main(results: str, *scripts: str) -> int:
    """Run the scripts in a child whose output is caught: the JVM prints there too. 1 where some failed."""
    command = [sys.executable, "-u", __file__, "--child", *scripts]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    found = {name: body.splitlines() for name, body, _, how in _BODY.findall(done.stdout) if how == "well"}
    Path(results).write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    missing = sorted({Path(script).stem for script in scripts} - set(found))
    print(f"{len(found)} scripts recorded" + (f"; failed: {', '.join(missing)}" if missing else ""))
    return 1 if missing else 0


def child(*scripts: str) -> None:
    """Run one script after the other in one JVM."""
    signal.signal(signal.SIGALRM, _too_long)
    for script in scripts:
        _mark(f"BEGIN {Path(script).stem}")
        _mark(f"END {Path(script).stem} {_run(script)}")


def _run(script: str) -> str:
    signal.alarm(_LIMIT)
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(script, folder)
        try:
            runpy.run_path(copy, run_name="__main__")
        except BaseException as error:
            print(error, file=sys.stderr)
            return "badly"
        finally:
            signal.alarm(0)
    return "well"


def _too_long(*_: Any) -> None:
    print("a script took too long", file=sys.stderr)
    os._exit(1)  # its job goes on in the JVM


def _mark(text: str) -> None:
    sys.stdout.flush()
    os.write(1, f"====={text}\n".encode())


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child(*sys.argv[2:])
    else:
        sys.exit(main(*sys.argv[1:]))
