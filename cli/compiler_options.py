"""The options for asking Flink's own compiler: one parameter of a command's function, ten options on the command line.

A command that loads jobs has a parameter `compiler: CompilerOptions`. `spread` gives Typer a function with one
parameter per field instead, so that each command need not list them.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from planner.errors import OptionError
from planner.records import record

if TYPE_CHECKING:
    from planner.frontends.flink_compiler.request import FlinkRequest
    from planner.settings.pyproject import Config

__all__ = ["NO_OPTIONS", "CompilerOptions", "spread"]

_PANEL = "Flink's own compiler (SQL, jars, Table API scripts)"


def _option(*names: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(*names, help=help, metavar=metavar, show_default=False, rich_help_panel=_PANEL)


@record(slots=False)
class CompilerOptions:
    """What the command line says about asking Flink."""

    main_class: Annotated[str | None, _option("--class", help="A jar: its class with main.", metavar="C")] = None
    flink_home: Annotated[
        Path | None, _option("--flink-home", help="A Flink distribution. Default: FLINK_HOME.", metavar="DIR")
    ] = None
    classpath: Annotated[
        list[str] | None,
        _option("--classpath", help="Jars of connectors, formats and functions; repeatable.", metavar="JAR"),
    ] = None
    python: Annotated[
        Path | None,
        _option("--python", help="The Python with apache-flink for Table API scripts.", metavar="PATH"),
    ] = None
    definitions: Annotated[
        list[str] | None, _option("-D", help="An option of Flink, as in flink run -D; repeatable.", metavar="K=V")
    ] = None
    with_flink: Annotated[
        bool, _option("--with-flink", help="Ask Flink too where plan could load the script itself.")
    ] = False
    fetch: Annotated[bool, _option("--fetch", help="Get missing connectors from Maven Central.")] = False
    fresh: Annotated[bool, _option("--fresh", help="Compile again, though an answer is kept.")] = False
    change_catalogs: Annotated[
        bool, _option("--change-catalogs", help="SQL: let CREATE, ALTER and DROP change catalogs outside of memory.")
    ] = False
    time_limit: Annotated[
        str | None, _option("--time-limit", help="How long a program may take. Default: 120s.", metavar="TIME")
    ] = None

    def request(self, config: Config | None) -> FlinkRequest:
        """How to ask Flink: these options, then FLINK_HOME, then `[tool.plan]`."""
        from planner.frontends.flink_compiler.request import TIME_LIMIT, FlinkRequest
        from planner.settings.quantities import parse_duration

        homes = [("--flink-home", self.flink_home)] if self.flink_home else []
        if not homes and os.environ.get("FLINK_HOME"):
            homes.append(("FLINK_HOME", Path(os.environ["FLINK_HOME"])))
        class_path = [Path(one) for given in self.classpath or () for one in given.split(os.pathsep) if one]
        python, origin = self.python, "--python"
        if config is not None:
            homes += [("[tool.plan] flink_home", config.folder / one) for one in config.flink_home]
            class_path += [config.folder / one for one in config.classpath]
            if python is None and config.python is not None:
                python, origin = config.folder / config.python, "[tool.plan] python"
        return FlinkRequest(
            homes=tuple(homes),
            class_path=tuple(class_path),
            python=python,
            python_origin=origin,
            main_class=self.main_class,
            configuration=dict(_definition(one) for one in self.definitions or ()),
            time_limit=TIME_LIMIT if self.time_limit is None else _seconds(self.time_limit, parse_duration),
            fetch=self.fetch,
            fresh=self.fresh,
            change_catalogs=self.change_catalogs,
            always=self.with_flink,
        )


NO_OPTIONS = CompilerOptions()


def _definition(written: str) -> tuple[str, str]:
    key, separator, value = written.partition("=")
    if not separator or not key:
        raise OptionError(
            f"-D {written}: this is not of the form KEY=VALUE", hint="for example -D parallelism.default=4"
        )
    return key, value


def _seconds(written: str, parse: Callable[[object], int]) -> float:
    try:
        return parse(f"{written}s" if written.isdigit() else written) / 1000
    except ValueError as error:
        raise OptionError(f"--time-limit: {error}", hint="for example 90s or 5min") from error


def spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with one parameter per option in place of its parameter `compiler`."""
    signature = inspect.signature(function)
    if "compiler" not in signature.parameters:
        return function
    types = get_type_hints(CompilerOptions, include_extras=True)
    names = [field.name for field in fields(CompilerOptions)]
    defaults = {field.name: field.default for field in fields(CompilerOptions)}
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=types[name])
        for name in names
    ]

    @wraps(function)
    def spread_function(*arguments: Any, **given: Any) -> Any:
        compiler = CompilerOptions(**{name: given.pop(name) for name in names})
        return function(*arguments, compiler=compiler, **given)

    hints = {name: kind for name, kind in get_type_hints(function, include_extras=True).items() if name != "compiler"}
    others = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
        for name, parameter in signature.parameters.items()
        if name != "compiler"
    ]
    made: Any = spread_function
    made.__signature__ = signature.replace(parameters=[*others, *options])
    made.__annotations__ = {**hints, **{name: types[name] for name in names}}
    del made.__wrapped__  # Typer would look through it
    return spread_function
