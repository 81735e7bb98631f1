"""Java objects that scripts reach without PyFlink's API: `env._j_stream_execution_environment` and streams of Java.

What PyFlink has under another spelling is called on PyFlink's side: `setParallelism` is `set_parallelism`. The two
sources that only Java has are made here. Every other call is recorded and shown, and gives another Java object.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from planner.errors import JobDefinitionError
from planner.frontends.python.values.types import TypeInformation, Types
from planner.frontends.python.versions import hint_for
from planner.frontends.python_files.handover import current_session
from planner.frontends.python_files.places import user_location
from planner.job import PythonFunction, Sequence

if TYPE_CHECKING:
    from planner.frontends.python.environment import StreamExecutionEnvironment
    from planner.frontends.python.streams import DataStream

__all__ = ["JavaEnvironment", "JavaObject", "JavaStream", "get_j_env_configuration", "java_class", "java_name"]

_STRING: TypeInformation = Types.STRING()
_LONG: TypeInformation = Types.LONG()
_UPPER: Final = re.compile(r"(?<!^)(?=[A-Z])")
# What a stream of Java can do that takes no function of Java.
_OF_STREAMS: Final = frozenset({
    "name", "uid", "set_parallelism", "set_max_parallelism", "set_buffer_timeout", "start_new_chain",
    "disable_chaining", "slot_sharing_group", "set_description", "force_non_parallel", "rebalance", "rescale",
    "shuffle", "forward", "broadcast", "union",
})  # fmt: skip


def _snake(name: str) -> str:
    return _UPPER.sub("_", name).lower()


class JavaObject:
    """An object of the JVM that is not there: it takes every call, and says that it was called."""

    def __init__(self, path: str, record: Callable[[str], None]) -> None:
        self._plan_path = path
        self._plan_record = record

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return JavaObject(f"{self._plan_path}.{name}", self._plan_record)

    def __call__(self, *arguments: Any) -> JavaObject:
        written = ", ".join(
            repr(one) if isinstance(one, (str, int, float)) else type(one).__name__ for one in arguments
        )
        path = f"{self._plan_path}({written})"
        if arguments:
            self._plan_record(path)
        return JavaObject(path, self._plan_record)


def java_name(name: str) -> Any:
    """`get_gateway` and the like: what they give is recorded, and good for what only matters when the job runs."""
    if name == "get_j_env_configuration":
        return get_j_env_configuration
    collecting = current_session()
    return JavaObject(name, collecting.java_calls.append if collecting is not None else _forget)


def java_class(made: JavaObject) -> str | None:
    """The class of an object that was made of Java's gateway: `get_gateway().jvm.CLASS(...)`."""
    found = re.search(r"jvm\.([\w.]+)\(", made._plan_path)
    return found[1] if found is not None else None


def _forget(call: str) -> None:
    pass


class JavaEnvironment(JavaObject):
    """`env._j_stream_execution_environment`."""

    def __init__(self, environment: StreamExecutionEnvironment) -> None:
        super().__init__("_j_stream_execution_environment", environment._record)
        self._plan_environment = environment

    def __getattr__(self, name: str) -> Any:
        known = None if name.startswith("_") else getattr(self._plan_environment, _snake(name), None)
        if callable(known):
            return _java_call(known, self)
        if hint_for(_snake(name)) is not None:
            raise AttributeError(f"Method {name} does not exist", name=_snake(name), obj=self._plan_environment)
        return super().__getattr__(name)

    def set_option(self, key: str, value: Any) -> None:
        """Set an option of the environment."""
        self._plan_environment._set_option(key, value)

    def socketTextStream(self, hostname: str, port: int, *_: Any) -> JavaStream:
        """Lines of a socket, which one subtask reads."""
        calls = self._plan_environment._translation
        source = calls.operator(
            [], "source", _STRING, name="Socket Stream", legacy=True, parallel=False, bounded=False, inherited=1,
            behaviour=PythonFunction(target=(hostname, port)),
        )  # fmt: skip
        source.fixed = True
        return JavaStream(self._plan_environment._stream(source))

    def fromSequence(self, start: int, end: int) -> JavaStream:
        """Whole numbers."""
        calls = self._plan_environment._translation
        behaviour = Sequence(start=start, end=end)
        source = calls.operator([], "source", _LONG, name="Sequence Source", bounded=True, behaviour=behaviour)
        return JavaStream(self._plan_environment._stream(source))


class JavaStream:
    """A stream of Java: `ds._j_data_stream`, or a source that only Java has."""

    def __init__(self, stream: DataStream) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if _snake(name) in _OF_STREAMS:
            return _java_call(getattr(self.stream, _snake(name)), self)
        raise JobDefinitionError(
            f"{name}() on a stream of Java needs functions of Java, and there is no JVM while a script is loaded",
            location=user_location(),
            hint="call it on PyFlink's own stream",
        )


def _java_call(call: Callable[..., Any], java: JavaEnvironment | JavaStream) -> Callable[..., Any]:
    """A call of PyFlink's under its Java name, with Java's results."""

    def called(*arguments: Any) -> Any:
        result = call(*(given.stream if isinstance(given, JavaStream) else given for given in arguments))
        if hasattr(result, "_j_data_stream"):
            return JavaStream(result)
        if hasattr(result, "_calls") and not hasattr(result, "_ledger"):
            return _JavaSettings(result)
        return result if isinstance(result, (int, str, bool)) else java

    return called


class _JavaSettings:
    """Settings of execution or of checkpoints under their Java names."""

    def __init__(self, settings: Any) -> None:
        self._settings = settings

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        call = getattr(self._settings, _snake(name), None)
        if call is None:
            return lambda *_: self

        def called(*arguments: Any) -> Any:
            result = call(*arguments)
            return result if isinstance(result, (int, str, bool)) else self

        return called


def get_j_env_configuration(j_env: JavaEnvironment) -> JavaEnvironment:
    """The options of an environment."""
    return j_env
