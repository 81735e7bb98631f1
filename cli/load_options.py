"""How a command loads Python files: --api, --parallelism, [tool.plan] parallelism, and the arguments behind `--`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from cli.compiler_options import CompilerOptions
from cli.locate import nearest_config
from cli.script_arguments import given_arguments

__all__ = ["ApiOption", "ParallelismOption", "use_load_options"]

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


def use_load_options(
    api: Api | None = None,
    parallelism: int | None = None,
    compiler: CompilerOptions | None = None,
    flink: str | None = None,
) -> None:
    """Load the files of this command so."""
    from planner.frontends.scripts.handover import LoadOptions
    from planner.frontends.scripts.handover import use_load_options as use

    origin = "--parallelism" if parallelism is not None else None
    if parallelism is None and (config := nearest_config()) is not None and config.parallelism is not None:
        parallelism, origin = config.parallelism, "[tool.plan] parallelism in pyproject.toml"
    request = None if compiler is None else compiler.request(nearest_config(), flink)
    use(
        LoadOptions(
            api=api,
            parallelism=parallelism,
            parallelism_origin=origin,
            arguments=given_arguments(),
            compiler=request,
        )
    )
