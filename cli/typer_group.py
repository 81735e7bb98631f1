"""Commands imported when they are used, as a Typer group, and its usage errors in this program's words."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from cli.compiler_options import spread
from planner.errors import OptionError
from planner.spelling import did_you_mean

COMMON = "Also: --color auto|always|never and --traceback (plan --help)."
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
# What people type who know other tools. A word that is here is never taken for a misspelling.
_GUESSES = {
    word: hint
    for words, hint in (
        ("graph draw plot picture", "`plan render JOB -o job.svg` draws a job, `plan show JOB` prints its graphs"),
        ("stop kill abort", "`plan cancel ID` ends a run; `plan runs` lists them"),
        ("logs log", "`plan runs ID` shows what happened in a run, and where its log is"),
        ("list ls ps jobs status", "`plan runs` lists runs, `plan rule` lists rules"),
        ("check validate test", "`plan lint JOB` checks a job, `plan explain JOB` explains its plan"),
        ("compare review", "`plan diff OLD NEW`, or `plan diff --base main` for all that changed"),
        ("submit start exec", "`plan run JOB --master URL` runs a job on Spark"),
        ("version", "`plan --version`"),
    )
    for word in words.split()
}


def build_group(commands: Mapping[str, str]) -> TyperGroup:
    """The group over `commands` (name -> module)."""

    class CommandTable(TyperGroup):
        """Looks a command up in the table, and imports its module only then."""

        def list_commands(self, ctx: Any) -> list[str]:
            return [name for name, module in commands.items() if importlib.util.find_spec(module)]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            module = commands.get(cmd_name)
            return None if module is None or importlib.util.find_spec(module) is None else load(cmd_name, module)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args[0] not in commands and not args[0].startswith("-"):
                hint = _GUESSES.get(args[0].lower()) or did_you_mean(args[0], commands) or "see plan --help"
                raise OptionError(f"there is no command {args[0]!r}", hint=hint)
            return super().resolve_command(ctx, args)

    app = typer.Typer(
        cls=CommandTable, rich_markup_mode=None, context_settings=SETTINGS, pretty_exceptions_enable=False
    )
    app.callback(help=_layout(root.__doc__ or ""))(root)
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


def root(
    color: Annotated[
        Literal["auto", "always", "never"],
        typer.Option(help="Styles: on a terminal, always, never. NO_COLOR is honoured."),
    ] = "auto",
    traceback: Annotated[bool, typer.Option("--traceback", help="Show where in plan an error came from.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Compile a streaming job through Flink's four graphs, explain every edge, and run it on Spark.

    JOB is a .py, .yaml or .yml file; job.py:NAME picks one of several jobs. It may be left out: then it is `job` under
    [tool.plan] of the nearest pyproject.toml, else the only one of job.py, job.yaml, job.yml here. --color and
    --traceback may also come after the command.

    Examples:
      plan explain job.yaml
      plan explain job.py --set map.parallelism=4
      plan render job.yaml --stage job -o job.svg

    Exit codes: 0 fine; 1 findings (lint, diff --exit-code); 2 the job or the options are wrong; 3 the run failed;
    4 our bug.
    """


@cache
def load(name: str, module: str) -> Any:
    """The Typer command `name` from the function of that name in `module`."""
    function = spread(getattr(importlib.import_module(module), name))
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=SETTINGS)
    words = inspect.getdoc(function) or ""
    # Given as the short help, the first sentence is wrapped in `plan --help`; Click would cut it.
    app.command(name=name, help=_layout(words), short_help=words.split("\n\n")[0], epilog=COMMON)(function)
    return typer.main.get_command(app)


@contextmanager
def usage_error(arguments: Sequence[str]) -> Iterator[None]:
    """Raise what Typer's parser complains of as an OptionError that names the nearest right spelling."""
    try:
        yield
    except typer.TyperException as error:
        raise OptionError(_complaint(error), hint=_hint(error, arguments)) from error
    except typer.Abort:
        raise KeyboardInterrupt from None


def _complaint(error: typer.TyperException) -> str:
    option = getattr(error, "option_name", None)
    if option and hasattr(error, "possibilities"):
        return f"there is no option {option}"
    text = error.format_message().strip().rstrip(".")
    return text[:1].lower() + text[1:]


def _hint(error: typer.TyperException, arguments: Sequence[str]) -> str | None:
    # Typer does not say of every error which command it belongs to.
    path = " ".join(["plan", *(word for word in arguments[:1] if not word.startswith("-"))])
    close = did_you_mean(getattr(error, "option_name", None) or "", getattr(error, "possibilities", None) or ())
    if close:
        return close
    choices = getattr(getattr(getattr(error, "param", None), "type", None), "choices", ())
    given = error.message.split("'")[1] if "'" in error.message else ""
    return did_you_mean(given, [str(choice) for choice in choices]) or f"see {path} --help"


def _layout(docstring: str) -> str:
    """Keep the lines of example paragraphs; Click fills the others."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(f"\b\n{text}" if text.startswith("Example") else text for text in paragraphs)
