"""Java objects that scripts reach behind PyFlink's back: `env._j_stream_execution_environment` and its options.

Every call on one is recorded and shown, and gives another one. The options of the environment are the real ones:
`Configuration(j_configuration=get_j_env_configuration(env._j_stream_execution_environment))` sets them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["JavaObject", "get_j_env_configuration"]


class JavaObject:
    """An object of the JVM that is not there: it takes every call, and says that it was called."""

    def __init__(self, path: str, record: Callable[[str], None], options: Callable[[str, Any], None]) -> None:
        self._plan_path = path
        self._plan_record = record
        self._plan_options = options

    def __getattr__(self, name: str) -> JavaObject:
        if name.startswith("__"):
            raise AttributeError(name)
        return JavaObject(f"{self._plan_path}.{name}", self._plan_record, self._plan_options)

    def __call__(self, *arguments: Any) -> JavaObject:
        written = ", ".join(
            repr(one) if isinstance(one, (str, int, float)) else type(one).__name__ for one in arguments
        )
        path = f"{self._plan_path}({written})"
        if arguments:
            self._plan_record(path)
        return JavaObject(path, self._plan_record, self._plan_options)

    def set_option(self, key: str, value: Any) -> None:
        """Set an option of the environment."""
        self._plan_options(key, value)


def get_j_env_configuration(j_env: JavaObject) -> JavaObject:
    """The options of an environment."""
    return j_env
