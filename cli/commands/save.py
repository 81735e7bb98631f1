"""`plan save`: keeps what a cluster says about a job, for later and for bug reports."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from cli import console
from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.files import write_whole
from cli.load_options import ParallelismOption, load_options
from cli.options import FlinkOption
from planner.errors import OptionError
from planner.frontends.job_files import names_job_file
from planner.frontends.loading import LoadOptions, split_spec


def save(
    context: typer.Context,
    job: Annotated[
        str,
        typer.Argument(
            metavar="JOB", help="http://HOST:8081, or http://HOST:8081/jobs/ID; or a .sql, .jar or PyFlink file."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PATH", help="A new folder for the answers; a file for a graph.")
    ],
    flink: FlinkOption = None,
    parallelism: ParallelismOption = None,
    compiler: CompilerOptions = NO_OPTIONS,
) -> None:
    """Save what Flink says about a job: the answers of a cluster, or the graph that its compiler makes of a program.

    The folder can be explained, rendered and compared later, without the cluster. The job's configuration, its
    environment and its exceptions are not asked for: they may hold passwords. Only GET requests are sent.

    The graph of a SQL script, a jar or a PyFlink script is one JSON file to commit: every command reads it, and needs
    neither Flink nor Java for that.

    Examples:
      plan save job.sql -o graph.json
      plan save job.jar:2 --class jobs.Main -p 4 -o graph.json -- --input data
      plan save http://localhost:8081 -o saved
      plan explain saved --live
    """
    if names_job_file(job):
        options = load_options(context.obj, parallelism=parallelism, flink=flink, compiler=compiler)
        _save_graph(job, output, options)
        return
    _save_answers(job, output)


def _save_graph(spec: str, output: Path, options: LoadOptions) -> None:
    from planner.frontends.flink_compiler.loading import load_export
    from planner.frontends.flink_export.stream_graph import graph_text

    path, name = split_spec(spec)
    if path.suffix.lower() in (".yaml", ".yml"):
        raise OptionError(f"{path} is YAML, which Flink does not compile", hint="save a .sql, .jar or PyFlink file")
    document = load_export(path, name, options)
    write_whole(output, graph_text(document))
    console.message(f"wrote the graph of {document['name']!r}, compiled by Flink {document['flink']}, to {output}")


def _save_answers(address: str, output: Path) -> None:
    from planner.frontends.flink_export.cluster import find_running
    from planner.frontends.flink_export.saving import saved_files
    from planner.observed.loading import is_address

    if not is_address(address):
        raise OptionError(f"{address!r} is no address of a cluster", hint="write http://HOST:8081/jobs/ID")
    if output.exists():
        raise OptionError(f"{output} is already there", hint="give a new folder with -o")
    job = find_running(address)
    files = dict(saved_files(job))
    _write(output, files)
    console.message(f"wrote {len(files)} answers of {job.address} to {output}")


def _write(folder: Path, files: dict[str, str]) -> None:
    """The folder with all files, or none of it."""
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.absolute().parent))
    except OSError as error:
        raise OptionError(
            f"cannot write {folder}: {error.strerror}", hint="create the folder around it first"
        ) from error
    try:
        for name, content in files.items():
            path = temporary / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, encoding="utf-8")
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o777 & ~mask)
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
