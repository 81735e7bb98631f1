"""The owner's Python: the one that has real PyFlink, and everything else that a script imports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from planner.errors import OptionError
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.records import record

__all__ = ["PyFlinkPython", "find_python"]

_LOOK = """
import importlib.util, json, sys
try:
    import importlib.metadata as metadata
    version = metadata.version("apache-flink")
except Exception:
    version = None
whole = version is not None and importlib.util.find_spec("py4j") is not None
print(json.dumps([version if whole else None, sys.version.split()[0]]))
"""
_LONGEST = 30  # seconds that a Python may take to say what it has


@record
class PyFlinkPython:
    """An interpreter that has PyFlink."""

    program: str
    flink: str  # the release of apache-flink
    version: str  # of Python
    origin: str


def find_python(request: FlinkRequest) -> PyFlinkPython:
    """The Python for a script: the one that was named, else the first of the active environment that has PyFlink."""
    seen: list[str] = []
    for origin, program in _candidates(request):
        found = _look(program)
        if found is None:
            if request.python is not None:
                raise OptionError(
                    f"{origin}: {program} is no Python that can be run", hint="name its program: bin/python"
                )
            continue
        flink, version = found
        if flink is None:
            seen.append(f"{program} has no apache-flink")
        elif request.version is not None and not f"{flink}.".startswith(f"{request.version}."):
            seen.append(f"{program} has apache-flink {flink}")
        else:
            return PyFlinkPython(program=program, flink=flink, version=version, origin=origin)
    wanted = f"apache-flink=={request.version}.*" if request.version else "apache-flink"
    raise OptionError(
        f"this script needs real PyFlink{f' {request.version}' if request.version else ''}, and no Python here has it",
        hint="\n".join(
            [
                f"in the environment that the script runs in: pip install '{wanted}'",
                "then activate it, or name it: --python PATH, or python under [tool.plan]",
                *dict.fromkeys(seen),
            ]
        ),
    )


def _candidates(request: FlinkRequest) -> Iterator[tuple[str, str]]:
    if request.python is not None:
        yield request.python_origin, str(request.python)
        return
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if folder := os.environ.get(variable):
            yield variable, str(Path(folder, "bin", "python"))
    yield "plan's own Python", sys.executable
    for name in ("python", "python3"):
        if program := shutil.which(name):
            yield "PATH", program


@cache
def _look(program: str) -> tuple[str | None, str] | None:
    """Which PyFlink a Python has, and its own version; None where it cannot be run."""
    try:
        done = subprocess.run(
            [program, "-c", _LOOK],
            capture_output=True,
            text=True,
            timeout=_LONGEST,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        flink, version = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return flink, version
