"""Names the folder of a stream that is full. Spark's messages often blame somebody else: its log has who wrote."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from pathlib import Path

from planner.errors import ExecutionError

__all__ = ["checkpoint_is_full", "read_from", "size_of"]

_FULL = "No space left on device"
_BY_CHECKPOINT = re.compile(r"\.execution\.streaming\.(?:state|checkpointing)\.")
_OF_A_STACK = re.compile(r"\s|Caused by: ")
_MOST = 4_000_000  # bytes of a log that are looked at


def checkpoint_is_full(error: BaseException, checkpoint: Path, logged: str) -> ExecutionError | None:
    """The error to show where the checkpoint's folder is full; None for anything else, a full sink too.

    `logged` is what Spark logged meanwhile. State is written inside the tasks that also write the sink, and a worker
    whose state could not be written only sees its connection end.
    """
    if not _is_full(error) and not any(_BY_CHECKPOINT.search(stack) for stack in _stacks(logged)):
        return None
    return ExecutionError(
        f"no space is left in the checkpoint's folder {checkpoint}",
        hint="make room there, and start it again on this --checkpoint: it goes on where it was",
    )


def size_of(log: Path) -> int:
    """How long a log is now."""
    return log.stat().st_size if log.is_file() else 0


def read_from(log: Path, begin: int) -> str:
    """What was logged since then."""
    if not log.is_file():
        return ""
    with log.open("rb") as content:
        content.seek(max(begin, size_of(log) - _MOST))
        return content.read().decode(errors="replace")


def _is_full(error: BaseException) -> bool:
    """Whether this process could not write; of a stream it writes nothing but the checkpoint."""
    causes: list[BaseException | None] = [error]
    while (cause := causes[-1]) is not None and cause not in causes[:-1]:
        causes.append(cause.__cause__)
    return any(isinstance(one, OSError) and one.errno == errno.ENOSPC for one in causes)


def _stacks(logged: str) -> Iterator[str]:
    """The stacks of exceptions, with their causes, that say that a disk is full."""
    stack: list[str] = []
    for line in [*logged.splitlines(), ""]:
        if line and _OF_A_STACK.match(line):
            stack.append(line)
            continue
        if any(_FULL in one for one in stack):
            yield "\n".join(stack)
        stack = [line]
