"""StreamExecutionEnvironment: where a Python job begins, and its settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from planner.errors import JobDefinitionError
from planner.flink.defaults import EXPONENTIAL_DELAY_MULTIPLIER
from planner.frontends.dsl.building import Node, freeze
from planner.frontends.dsl.event_time import WatermarkStrategy, milliseconds
from planner.frontends.dsl.streams import DataStream
from planner.frontends.dsl.types import TypeInformation
from planner.frontends.scripts.handover import as_declared, current_session, hand_over, tell_errors_plainly
from planner.frontends.scripts.places import user_location
from planner.job import (
    Collection,
    JobDefinition,
    Location,
    Operator,
    PythonFunction,
    Reader,
    RestartStrategy,
    Sequence,
    Watermarks,
)  # fmt: skip
from planner.settings.boundedness import is_bounded
from planner.settings.flink_options import job_arguments
from planner.settings.job_format import BUFFER_TIMEOUT, MAX_PARALLELISM_VALUE, PARALLELISM
from planner.settings.restart import restart_strategy
from planner.settings.values import Fault, ValueType

__all__ = [
    "Configuration", "JobExecutionResult", "NumberSequenceSource", "ReaderSource", "RestartStrategies",
    "RuntimeExecutionMode", "StreamExecutionEnvironment",
]  # fmt: skip


class RuntimeExecutionMode(Enum):
    """Whether the job runs as a stream or as a batch."""

    STREAMING = "streaming"
    BATCH = "batch"
    AUTOMATIC = "automatic"


class RestartStrategies:
    """When a failed job starts again."""

    @staticmethod
    def no_restart() -> RestartStrategy:
        """Never."""
        return RestartStrategy(type="none")

    @staticmethod
    def fixed_delay_restart(restart_attempts: int, delay_between_attempts: Any) -> RestartStrategy:
        """So many times, with one wait."""
        return RestartStrategy(
            type="fixed-delay", attempts=restart_attempts, delay=milliseconds(delay_between_attempts)
        )

    @staticmethod
    def failure_rate_restart(failure_rate: int, failure_interval: Any, delay_interval: Any) -> RestartStrategy:
        """While failures in an interval stay below a number."""
        interval, delay = milliseconds(failure_interval), milliseconds(delay_interval)
        return RestartStrategy(type="failure-rate", attempts=failure_rate, failure_interval=interval, delay=delay)

    @staticmethod
    def exponential_delay_restart(
        initial_backoff: Any,
        max_backoff: Any,
        backoff_multiplier: float = EXPONENTIAL_DELAY_MULTIPLIER,
        *_: Any,
    ) -> RestartStrategy:
        """Again and again; each wait is `backoff_multiplier` times as long as the one before."""
        if not backoff_multiplier >= 1:
            raise JobDefinitionError(
                f"the back-off multiplier must be at least 1, found {backoff_multiplier}", location=user_location()
            )
        first, longest = milliseconds(initial_backoff), milliseconds(max_backoff)
        given = {"delay": first, "max_delay": longest, "multiplier": float(backoff_multiplier)}
        return restart_strategy("exponential-delay", given)


class Configuration:
    """Flink options by their keys."""

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self._options: dict[str, Any] = dict(options or {})

    def set_string(self, key: str, value: Any) -> Configuration:
        """Set one option."""
        self._options[key] = value
        return self

    set = set_integer = set_boolean = set_float = set_string

    def to_dict(self) -> dict[str, Any]:
        """All options."""
        return dict(self._options)


class JobExecutionResult:
    """What `execute` returns."""

    def __init__(self, job_name: str) -> None:
        self.job_name = job_name

    def get_job_name(self) -> str:
        """The job's name."""
        return self.job_name


class ReaderSource:
    """A new-style source that is any Spark reader."""

    def __init__(self, format: str, path: str | None = None, options: Mapping[str, Any] | None = None,
                 bounded: bool | None = None) -> None:  # fmt: skip
        written = tuple((key, str(value)) for key, value in (options or {}).items())
        self.behaviour: Reader | Sequence = Reader(format=format, path=path, options=written)
        self.bounded = is_bounded(format, said=bounded)


class NumberSequenceSource:
    """A new-style source of whole numbers, both ends included."""

    bounded = True

    def __init__(self, start: int, end: int) -> None:
        self.behaviour: Reader | Sequence = Sequence(start=start, end=end)


class StreamExecutionEnvironment:
    """The place where streams begin; `execute` makes a job of them."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._executed = 0  # how many nodes were part of an earlier execute()
        self._settings: dict[str, Any] = {}
        self._options: dict[str, Any] = {}
        self._calls: list[tuple[str, Location]] = []  # those that only some versions of Flink have
        if (collecting := current_session()) is not None:
            collecting.environments.append(self)
        else:
            tell_errors_plainly()

    @classmethod
    def get_execution_environment(cls, configuration: Configuration | None = None) -> StreamExecutionEnvironment:
        """A new environment."""
        environment = cls()
        return environment.configure(configuration) if configuration is not None else environment

    # --- settings

    def _set(self, name: str, value: Any, checked: ValueType) -> StreamExecutionEnvironment:
        try:
            self._settings[name] = checked.read(value)
        except Fault as fault:
            raise JobDefinitionError(f"{name} {fault.message}", location=user_location(), hint=fault.hint) from None
        return self

    def set_parallelism(self, parallelism: int) -> StreamExecutionEnvironment:
        """Subtasks of operators that say nothing themselves."""
        return self._set("parallelism", parallelism, PARALLELISM)

    def get_parallelism(self) -> int:
        """The default number of subtasks."""
        return int(self._settings.get("parallelism", 1))

    def set_max_parallelism(self, max_parallelism: int) -> StreamExecutionEnvironment:
        """Key groups of operators that say nothing themselves."""
        return self._set("max_parallelism", max_parallelism, MAX_PARALLELISM_VALUE)

    def set_buffer_timeout(self, timeout_millis: int) -> StreamExecutionEnvironment:
        """Milliseconds until a part-filled network buffer is sent."""
        return self._set("buffer_timeout", timeout_millis, BUFFER_TIMEOUT)

    def set_runtime_mode(self, execution_mode: RuntimeExecutionMode) -> StreamExecutionEnvironment:
        """Run as a stream, as a batch, or as the sources suggest."""
        if not isinstance(execution_mode, RuntimeExecutionMode):
            raise JobDefinitionError(
                f"set_runtime_mode takes a RuntimeExecutionMode, found {execution_mode!r}", location=user_location(),
                hint="write RuntimeExecutionMode.BATCH",
            )  # fmt: skip
        self._settings["runtime_mode"] = execution_mode.value
        return self

    def disable_operator_chaining(self) -> StreamExecutionEnvironment:
        """Put every operator into a task of its own."""
        self._settings["chaining"] = False
        return self

    def set_restart_strategy(self, restart_strategy: RestartStrategy) -> StreamExecutionEnvironment:
        """When a failed job starts again."""
        self._settings["restart_strategy"] = restart_strategy
        return self

    def configure(self, configuration: Configuration | Mapping[str, Any]) -> StreamExecutionEnvironment:
        """Set options by Flink's own keys."""
        options = configuration.to_dict() if isinstance(configuration, Configuration) else dict(configuration)
        arguments = job_arguments(options, user_location())
        self._options.update(arguments.pop("options", {}))
        self._settings.update(arguments)
        return self

    def enable_checkpointing(self, interval: int, mode: Any = None) -> StreamExecutionEnvironment:
        """Kept as an option; it changes nothing in a plan."""
        self._options["execution.checkpointing.interval"] = interval
        return self

    def add_jars(self, *jars_path: str) -> None:
        """Accepted: jars change nothing here."""

    def add_python_file(self, file_path: str) -> None:
        """Accepted: files beside the job are shipped anyway."""

    # --- sources

    def _source(self, name: str, type_info: TypeInformation | None, **arguments: Any) -> DataStream:
        output = type_info.to_ddl() if type_info is not None else None
        return self._stream(Operator, (), {"kind": "source", "name": name, "output": output, **arguments})

    def from_collection(self, collection: Iterable[Any], type_info: TypeInformation | None = None) -> DataStream:
        """A source of these records."""
        return self._source("Collection Source", type_info, behaviour=Collection(records=tuple(collection)))

    def from_data(self, *data: Any, type_info: TypeInformation | None = None) -> DataStream:
        """A source of these records, given one by one; Flink has it since 1.19."""
        self._calls.append(("from_data", user_location()))
        return self.from_collection(data, type_info)

    def from_sequence(self, start: int, end: int) -> DataStream:
        """A source of whole numbers, both ends included."""
        return self._source("Sequence Source", TypeInformation("bigint"), behaviour=Sequence(start=start, end=end))

    def from_source(self, source: Any, watermark_strategy: WatermarkStrategy, source_name: str,
                    type_info: TypeInformation | None = None) -> DataStream:  # fmt: skip
        """A new-style source."""
        watermarks: Watermarks | None = watermark_strategy.watermarks if watermark_strategy is not None else None
        behaviour = getattr(source, "behaviour", None) or PythonFunction(target=source)
        bounded = bool(getattr(source, "bounded", True))
        return self._source(source_name, type_info, behaviour=behaviour, watermarks=watermarks, bounded=bounded)

    def add_source(self, source_func: Any, source_name: str = "Custom Source",
                   type_info: TypeInformation | None = None) -> DataStream:  # fmt: skip
        """A legacy source."""
        parallel = bool(getattr(source_func, "parallel", True))
        behaviour = PythonFunction(target=source_func)
        return self._source(source_name, type_info, legacy=True, parallel=parallel, bounded=False, behaviour=behaviour)

    def read_text_file(self, file_path: str, charset_name: str = "UTF-8") -> DataStream:
        """A new-style source of the lines of a text file."""
        options = () if charset_name.upper() == "UTF-8" else (("encoding", charset_name),)
        behaviour = Reader(format="text", path=file_path, options=options)
        return self._source("Text File Source", TypeInformation("string"), behaviour=behaviour)

    def socket_text_stream(self, hostname: str, port: int) -> DataStream:
        """A legacy source of the lines of a socket, always one subtask."""
        behaviour = Reader(format="socket", options=(("host", hostname), ("port", str(port))))
        return self._source(
            "Socket Stream", TypeInformation("string"), legacy=True, parallel=False, bounded=False, behaviour=behaviour
        )

    # --- jobs

    def _stream(self, form: type[Any], inputs: tuple[Node, ...], arguments: dict[str, Any]) -> DataStream:
        node = self._add(form, inputs, arguments)
        return DataStream(self, node)

    def _add(self, form: type[Any], inputs: tuple[Node, ...], arguments: dict[str, Any]) -> Node:
        node = Node(form, inputs, as_declared(arguments), user_location())
        self._nodes.append(node)
        return node

    def build(self, job_name: str | None = None) -> JobDefinition:
        """The job of all streams since the last execute()."""
        location = user_location()
        nodes = self._nodes if not self._executed else _reaching(self._nodes, self._executed)
        if not any(node.form is Operator for node in nodes):
            raise JobDefinitionError(
                "the job has no operators, so there is nothing to execute", location=location,
                hint="define at least a source and an operator before execute()",
            )  # fmt: skip
        settings = {"name": None, **self._settings}
        if job_name is not None:
            settings["name"] = job_name
        loading = session.options if (session := current_session()) is not None else None
        if loading is not None and loading.parallelism is not None and "parallelism" not in settings:
            settings |= {"parallelism": loading.parallelism, "parallelism_origin": loading.parallelism_origin}
        if loading is not None and loading.api == "pyflink":
            from planner.frontends.pyflink.replay import replay  # for --api pyflink only

            return replay(nodes, settings, self._options, location)
        return JobDefinition(
            transformations=freeze(nodes),
            location=location,
            options=dict(self._options),
            calls=tuple(self._calls),
            **settings,
        )

    def execute(self, job_name: str | None = None) -> JobExecutionResult:
        """Hand the job over: to whoever loads this file, else to a local Spark session."""
        job = self.build(job_name)
        self._executed = len(self._nodes)
        hand_over(job)
        return JobExecutionResult(job.name or "Flink Streaming Job")

    execute_async = execute


def _reaching(nodes: list[Node], executed: int) -> list[Node]:
    """The nodes since the last job and everything they read, in creation order."""
    wanted = {id(node) for node in nodes[executed:]}
    for node in reversed(nodes):
        if id(node) in wanted:
            wanted.update(id(upstream) for upstream in node.inputs)
    return [node for node in nodes if id(node) in wanted]
