"""What may be given as a function."""

from __future__ import annotations

from typing import Any

__all__ = ["check_function"]


def check_function(function: Any, kind: type[Any], message: str) -> None:
    """Refuse what is neither of a class nor callable, as PyFlink does."""
    if not isinstance(function, kind) and not callable(function):
        raise TypeError(message)
