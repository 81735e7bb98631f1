"""Time does not pass while a script is only loaded: `time.sleep` returns at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import SupportsIndex

__all__ = ["no_waiting"]


def _sleep(seconds: float | SupportsIndex, /) -> None:
    """In place of `time.sleep`."""


@contextmanager
def no_waiting(module: ModuleType) -> Iterator[None]:
    """Let a script's module not wait; what it imported by name is the real function again afterwards."""
    before = time.sleep
    time.sleep = _sleep
    try:
        yield
    finally:
        time.sleep = before
        for name in [name for name, value in module.__dict__.items() if value is _sleep]:
            setattr(module, name, before)
