"""What only ours has: Spark's readers and writers, and calls that PyFlink's streams and environments lack.

A file that imports `pyflink` can give `ReaderSource` and `WriterSink` to PyFlink's calls; the methods are there for
files that import `planner` only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from planner.frontends.python.differences import extension, wrong
from planner.frontends.python.settings import OperatorSettings, StreamSettings
from planner.frontends.python.values.types import Types
from planner.frontends.python_files.places import user_location
from planner.job import JobDefinition, PythonFunction, Reader, Sequence, Writer
from planner.settings.boundedness import is_bounded

if TYPE_CHECKING:
    from planner.frontends.python.drafts import Draft
    from planner.frontends.python.environment import StreamExecutionEnvironment
    from planner.frontends.python.streams import DataStream
    from planner.frontends.python.values.types import TypeInformation
    from planner.job import Behaviour

__all__ = [
    "EnvironmentExtensions", "KeyedExtensions", "ReaderSource", "SinkExtensions", "StreamExtensions", "WriterSink",
    "source_of", "text_source",
]  # fmt: skip


class ReaderSource:
    """A new-style source that is any Spark reader."""

    def __init__(self, format: str, path: str | None = None, options: Mapping[str, Any] | None = None,
                 bounded: bool | None = None) -> None:  # fmt: skip
        written = tuple((key, str(value)) for key, value in (options or {}).items())
        self.behaviour = Reader(format=format, path=path, options=written)
        self.bounded = is_bounded(format, said=bounded)


class WriterSink:
    """A sink that is any Spark writer."""

    def __init__(
        self,
        format: str,
        path: str | None = None,
        mode: Any = "error",
        options: Mapping[str, Any] | None = None,
        committer: bool = False,
    ) -> None:
        written = tuple((key, str(value)) for key, value in (options or {}).items())
        self.behaviour = Writer(format=format, path=path, mode=mode, options=written)
        self.committer = committer


# --- PyFlink's connectors as Spark reads them -------------------------------------------------------------------------


def source_of(source: Any) -> tuple[Behaviour, bool, TypeInformation | None]:
    """What a source reads, whether it ends, and the type of its records where that is known."""
    if (behaviour := getattr(source, "behaviour", None)) is not None:
        return behaviour, bool(getattr(source, "bounded", True)), None
    calls = getattr(source, "_calls", None)
    if not calls:
        return PythonFunction(target=source), bool(getattr(source, "bounded", True)), None
    from planner.frontends.python.connector_facts import source_facts

    facts, kind = source_facts(source), type(source).__name__
    if kind == "KafkaSource":
        options = dict(option for call in calls for option in _KAFKA.get(call.name, _nothing)(call))
        return Reader(format="kafka", options=tuple(options.items())), facts.bounded, facts.type
    if kind == "FileSource":
        given = dict(calls[0].arguments)
        charset = next((one.first() for one in getattr(calls[0].first(), "_calls", ())), None) or "UTF-8"
        paths = ",".join(map(str, given.get("paths", ())))
        return _text(paths, charset, _NESTED), facts.bounded, facts.type
    return facts.behaviour, facts.bounded, facts.type


def _nothing(_: Any) -> tuple[tuple[str, str], ...]:
    return ()


def _option(key: str) -> Callable[[Any], tuple[tuple[str, str], ...]]:
    return lambda call: ((key, _offsets(call.first())),)


def _offsets(given: Any) -> str:
    """Where reading begins or ends, in Spark's words."""
    made = getattr(given, "_calls", None)
    return made[0].name.rpartition(".")[2] if made else str(given)


_KAFKA: dict[str, Callable[[Any], tuple[tuple[str, str], ...]]] = {
    "set_bootstrap_servers": _option("kafka.bootstrap.servers"),
    "set_topics": lambda call: (("subscribe", ",".join(call.first() or ())),),
    "set_topic_pattern": _option("subscribePattern"),
    "set_group_id": _option("kafka.group.id"),
    "set_starting_offsets": _option("startingOffsets"),
    "set_bounded": _option("endingOffsets"),
    "set_property": lambda call: ((f"kafka.{call.arguments[0][1]}", str(call.arguments[1][1])),),
}


_NESTED = ("recursiveFileLookup", "true")  # Flink's FileSource reads the folders inside, too


def _text(path: str, charset: str, *options: tuple[str, str]) -> Reader:
    encoding = () if charset.upper() == "UTF-8" else (("encoding", charset),)
    return Reader(format="text", path=path, options=(*encoding, *options))


def text_source(environment: StreamExecutionEnvironment, path: str, charset: str) -> Draft:
    """A new-style source of the lines of a text file."""
    return _source(environment, "Text File Source", _text(path, charset), "STRING")


def _source(environment: StreamExecutionEnvironment, name: str, behaviour: Behaviour, type: str, **more: Any) -> Draft:
    kind: TypeInformation = getattr(Types, type)()
    more |= environment._checks.output(kind)
    return environment._translation.operator([], "source", kind, name=name, behaviour=behaviour, **more)


# --- methods ----------------------------------------------------------------------------------------------------------


class EnvironmentExtensions:
    """Of environments."""

    @extension
    def from_sequence(self, start: int, end: int) -> DataStream:
        """A source of whole numbers, both ends included."""
        environment = cast("StreamExecutionEnvironment", self)
        return environment._stream(_source(environment, "Sequence Source", Sequence(start=start, end=end), "LONG"))

    @extension
    def from_data(self, *data: Any, type_info: TypeInformation | None = None) -> DataStream:
        """A source of these records, given one by one; Flink has it since 1.19."""
        environment = cast("StreamExecutionEnvironment", self)
        environment._uses_of_versions.append(("from_data", user_location()))
        return environment.from_collection(data, type_info)

    @extension
    def socket_text_stream(self, hostname: str, port: int) -> DataStream:
        """A legacy source of the lines of a socket, always one subtask."""
        environment = cast("StreamExecutionEnvironment", self)
        reader = Reader(format="socket", options=(("host", hostname), ("port", str(port))))
        draft = _source(
            environment, "Socket Stream", reader, "STRING", legacy=True, parallel=False, bounded=False, inherited=1
        )
        draft.fixed = True
        return environment._stream(draft)

    @extension
    def build(self, job_name: str | None = None) -> JobDefinition:
        """The job of all streams since the last execute()."""
        return cast("StreamExecutionEnvironment", self)._job(job_name)


class _CoLocation(OperatorSettings):
    @extension
    def set_co_location_group(self, co_location_group: str) -> Self:
        """Equal subtasks of one group run in the same slot."""
        return self._set("set_co_location_group", "co_location_group", co_location_group)


class StreamExtensions(_CoLocation):
    """Of streams."""

    @extension
    def async_map(self, func: Any, output_type: TypeInformation | None = None, timeout: Any = None,
                  capacity: int | None = None) -> DataStream:  # fmt: skip
        """A function whose answers come later: `capacity` of them at once, none of them later than `timeout`."""
        from planner.frontends.python.async_streams import wait

        return wait(cast("DataStream", self), func, timeout, None, capacity, output_type, ordered=False)

    @extension
    def global_(self) -> DataStream:
        """To the first subtask."""
        return cast("DataStream", self)._partition("GLOBAL")

    @extension
    def iterate(self, *_: Any) -> NoReturn:
        """A loop; refused."""
        _not_compiled("iterate")

    @extension
    def full_window_partition(self) -> NoReturn:
        """All records of a subtask as one window; refused."""
        _not_compiled("full_window_partition")


class KeyedExtensions:
    """Of keyed streams."""

    @extension
    def enable_async_state(self) -> NoReturn:
        """State that is read without waiting for it; refused."""
        _not_compiled("enable_async_state")


class SinkExtensions(_CoLocation):
    """Of sinks: the settings that PyFlink has on streams only."""

    set_max_parallelism = extension(StreamSettings.set_max_parallelism)
    set_buffer_timeout = extension(StreamSettings.set_buffer_timeout)
    start_new_chain = extension(StreamSettings.start_new_chain)


def _not_compiled(name: str) -> NoReturn:
    from planner.flink.availability import CALLS, words

    raise wrong(
        f"{name}() is not planned here in any version ({words(CALLS[name])})",
        "leave it out of the job that you inspect",
    )
