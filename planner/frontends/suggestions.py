"""What to do about an error in a job's file: a near name, a name of Flink 1.x, arguments that are missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from linecache import getlines
from typing import Final, NoReturn

from planner.spelling import did_you_mean

__all__ = ["argument_fault", "needed_version", "plain_argument_faults", "suggestion"]

_MISSING_NAME: Final = re.compile(r"cannot import name '(\w+)' from '(pyflink[\w.]*)'")
_STAR: Final = re.compile(r"^\s*from\s+pyflink[\w.]*\s+import\s+\*", re.MULTILINE)


def suggestion(error: BaseException, line: str, path: str) -> str | None:
    """One hint for one error; `line` is the user's line where it happened."""
    if isinstance(error, SystemExit):
        return _give_arguments(path) if argument_fault(error) is not None else None
    if isinstance(error, IndexError) and "argv" in line:
        return _give_arguments(path)
    if isinstance(error, KeyError) and "environ" in line:
        return f"the file reads an environment variable: {error.args[0]}=VALUE plan explain {path}"
    if isinstance(error, OSError):  # files and connections
        return "a file's own lines run while it is loaded: do this in a function's open(), or where it is reachable"
    if isinstance(error, ImportError):
        return _of_import(error)
    if isinstance(error, NameError):
        return _of_other_version(error.name or "") if _is_starred(error) else None
    if not isinstance(error, AttributeError) or not error.name or error.obj is None:
        return None
    if error.name == "to_milliseconds":
        return "a length of time is a Time here: Time.seconds(5), Time.milliseconds(100), from pyflink.common"
    if (old := _of_other_version(error.name) if _is_of_api(error.obj) else None) is not None:
        return old
    return did_you_mean(
        error.name, [name for name in dir(error.obj) if not name.startswith("_") and hasattr(error.obj, name)]
    )


class ArgumentFault(SystemExit):
    """What argparse complains of, before it prints its usage and ends the file."""

    def __init__(self, message: str) -> None:
        super().__init__(2)
        self.message = message


@contextmanager
def plain_argument_faults(source: str) -> Iterator[None]:
    """Let a file that uses argparse say once what is missing, in our own message."""
    if "argparse" not in source:
        yield
        return
    from argparse import ArgumentParser

    before = ArgumentParser.error
    ArgumentParser.error = _raise_fault  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        ArgumentParser.error = before  # type: ignore[method-assign]


def _raise_fault(parser: object, message: str) -> NoReturn:
    raise ArgumentFault(message)


def argument_fault(error: SystemExit) -> str | None:
    """What argparse complained of, where it ended the file."""
    return f"arguments: {error.message}" if isinstance(error, ArgumentFault) else None


def _give_arguments(path: str) -> str:
    return f"the file reads arguments: give them after `--`, for example: plan explain {path} -- --input data.txt"


def _of_import(error: ImportError) -> str | None:
    found = _MISSING_NAME.match(str(error))
    if found is not None:
        return _of_other_version(found[1]) or _near_export(found[1], found[2])
    if (error.name or "").startswith("pyflink."):
        from planner.frontends.python.versions import module_hint

        return module_hint(str(error.name))
    return None


def _of_other_version(name: str) -> str | None:
    from planner.frontends.python.versions import hint_for

    return hint_for(name)


def needed_version(error: BaseException) -> tuple[str, str] | None:
    """The newest version of PyFlink that has a name which an error says is missing, and what to say of the others; None
    for every other error."""
    name = _missing_name(error)
    if name is None:
        return None
    from planner.frontends.python.versions import missing, version

    flink = missing(name)
    return (flink, f"PyFlink {version()} has no {name}") if flink is not None else None


def _missing_name(error: BaseException) -> str | None:
    if isinstance(error, ImportError):
        found = _MISSING_NAME.match(str(error))
        name = found[1] if found is not None else str(error.name or "")
        return name if found is not None or name.startswith("pyflink.") else None
    if isinstance(error, AttributeError):
        return error.name if _is_of_api(error.obj) else None
    return error.name if isinstance(error, NameError) and _is_starred(error) else None


def _is_starred(error: NameError) -> bool:
    """Whether the file that misses a name takes all names of a module of PyFlink: `import *` does not say which."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and _STAR.search("".join(getlines(trace.tb_frame.f_code.co_filename))) is not None


def _is_of_api(value: object) -> bool:
    """Whether a value is one of the Python API's, under either of its names."""
    module = str(getattr(value, "__module__", "") or type(value).__module__)
    return module.startswith(("pyflink", "planner.frontends.python."))


def _near_export(name: str, module: str) -> str | None:
    from planner.frontends.python.api import HANDED_ON, handed_on, modules_with

    homes = [f"pyflink.{home}" for home in modules_with(name) if f"pyflink.{home}" != module]
    if homes:
        return f"import it from {homes[0]}"
    return did_you_mean(name, sorted({known for home in HANDED_ON for known in handed_on(home)}))
