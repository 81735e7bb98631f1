"""`plan save`: keeps what a cluster says about a job, for later and for bug reports."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from cli import console
from planner.errors import OptionError


def save(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="http://HOST:8081, or http://HOST:8081/jobs/ID.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="A new folder for the answers.")],
) -> None:
    """Save what a cluster says about a running job: its plan, figures and checkpoints.

    The folder can be explained, rendered and compared later, without the cluster. The job's configuration, its
    environment and its exceptions are not asked for: they may hold passwords. Only GET requests are sent.

    Examples:
      plan save http://localhost:8081 -o saved
      plan explain saved --live
    """
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
