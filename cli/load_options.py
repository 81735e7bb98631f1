"""How a command loads Python files: --api, --parallelism, --flink, [tool.plan], and the arguments after `--`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Literal

import typer

from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.locate import nearest_config
from planner.frontends.job_files import split_name
from planner.frontends.loading import LoadOptions

__all__ = ["ApiOption", "ParallelismOption", "load_options", "only_named"]

Api = Literal["pyflink", "java"]
ApiOption = Annotated[
    Api | None,
    typer.Option(
        "--api",
        help="Compile a Python job as PyFlink or as Flink's Java API does. Default: as the file's imports say.",
        show_default=False,
    ),
]
ParallelismOption = Annotated[
    int | None,
    typer.Option(
        "--parallelism",
        "-p",
        min=1,
        metavar="N",
        help="Parallelism of a Python job that sets none itself. Default: [tool.plan] parallelism, else 1.",
        show_default=False,
    ),
]


def load_options(
    arguments: tuple[str, ...] = (),
    *,
    api: Api | None = None,
    parallelism: int | None = None,
    flink: str | None = None,
    compiler: CompilerOptions = NO_OPTIONS,
) -> LoadOptions:
    """How to load the files of one command; `arguments` are those after `--`, which `context.obj` has."""
    origin = "--parallelism" if parallelism is not None else None
    config = nearest_config()
    if config is not None:
        flink = flink or config.flink
        if parallelism is None and config.parallelism is not None:
            parallelism, origin = config.parallelism, "[tool.plan] parallelism in pyproject.toml"
    return LoadOptions(
        api=api,
        parallelism=parallelism,
        parallelism_origin=origin,
        flink=flink,
        arguments=tuple(arguments or ()),
        compiler=compiler.request(config),
    )


def only_named(options: LoadOptions, arguments: Iterable[str]) -> LoadOptions:
    """The options for files of which some are found by search: programs among those are not run by Flink."""
    config = nearest_config()
    if options.compiler is None or (config is not None and config.run_programs):
        return options
    named = frozenset(split_name(os.path.normpath(one))[0] for one in arguments)
    return replace(options, compiler=replace(options.compiler, named=named))
