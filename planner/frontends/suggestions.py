"""What to do about an error in a job's file: a near name, a name of Flink 1.x, arguments that are missing."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Final

from planner.spelling import did_you_mean

__all__ = ["argument_fault", "suggestion"]

_MISSING_NAME: Final = re.compile(r"cannot import name '(\w+)' from '(pyflink[\w.]*)'")


def suggestion(error: BaseException, line: str, path: str) -> str | None:
    """One hint for one error; `line` is the user's line where it happened."""
    if isinstance(error, SystemExit):
        return _give_arguments(path) if argument_fault(error) is not None else None
    if isinstance(error, IndexError) and "argv" in line:
        return _give_arguments(path)
    if isinstance(error, ImportError):
        return _of_import(error)
    if not isinstance(error, AttributeError) or not error.name or error.obj is None:
        return None
    if (old := _of_flink_1(type(error.obj).__module__, error.name)) is not None:
        return old
    return did_you_mean(error.name, [name for name in dir(error.obj) if not name.startswith("_")])


def argument_fault(error: SystemExit) -> str | None:
    """What argparse complained of, where it ended the file."""
    trace: TracebackType | None = error.__traceback__
    found = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name == "error" and code.co_filename.endswith("argparse.py"):
            found = str(trace.tb_frame.f_locals.get("message"))
        trace = trace.tb_next
    return f"arguments: {found}" if found is not None else None


def _give_arguments(path: str) -> str:
    return f"the file reads arguments: give them behind `--`, for example: plan explain {path} -- --input data.txt"


def _of_import(error: ImportError) -> str | None:
    found = _MISSING_NAME.match(str(error))
    if found is not None:
        return _of_flink_1("pyflink", found[1]) or _near_export(found[1], found[2])
    if (error.name or "").startswith("pyflink."):
        return f"PyFlink 2.3 has no module {error.name}"
    return None


def _of_flink_1(module: str, name: str) -> str | None:
    if "pyflink" not in module:
        return None
    from planner.frontends.pyflink.removed import hint_for

    return hint_for(name)


def _near_export(name: str, module: str) -> str | None:
    from planner.frontends.pyflink.declared.exports import EXPORTS

    homes = [home for home, names in EXPORTS.items() if name in names and home != module]
    if homes:
        return f"import it from {min(homes, key=len)}"
    return did_you_mean(name, sorted({known for names in EXPORTS.values() for known in names}))
