"""What stands behind `--` on the command line: arguments for the job's own file."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["given_arguments", "keep_arguments"]

_kept: list[str] = []


def keep_arguments(arguments: Iterable[str]) -> None:
    """Keep the arguments of this command."""
    _kept[:] = arguments


def given_arguments() -> tuple[str, ...]:
    """The arguments of this command."""
    return tuple(_kept)
