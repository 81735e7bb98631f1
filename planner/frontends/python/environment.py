"""`pyflink.datastream.stream_execution_environment`: where a script begins, and its settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from planner.errors import JobDefinitionError
from planner.frontends.python.answers import path_text
from planner.frontends.python.calls import JavaCalls
from planner.frontends.python.checks import checks
from planner.frontends.python.differences import wrong
from planner.frontends.python.drafts import freeze, reachable
from planner.frontends.python.extensions import EnvironmentExtensions
from planner.frontends.python.ledger import Ledger
from planner.frontends.python.results import JobExecutionResult, printed_plan
from planner.frontends.python.streams import DataStream
from planner.frontends.python.values.types import PickledBytesTypeInfo
from planner.frontends.python_files.handover import LoadOptions, current_session, hand_over, tell_errors_plainly
from planner.frontends.python_files.places import user_location
from planner.job import JobDefinition, Operator, PythonLayer
from planner.settings.flink_options import job_arguments
from planner.settings.job_format import BUFFER_TIMEOUT, MAX_PARALLELISM, PARALLELISM
from planner.settings.values import Fault, ValueType

if TYPE_CHECKING:
    from planner.frontends.python.checks import Checks
    from planner.frontends.python.clients import LoadedClient
    from planner.frontends.python.declared.settings import (
        CheckpointConfig,
        CheckpointingMode,
        ExecutionConfig,
        RuntimeExecutionMode,
        TimeCharacteristic,
    )
    from planner.frontends.python.drafts import Draft
    from planner.frontends.python.java_objects import JavaEnvironment
    from planner.frontends.python.pyflink_calls import PyFlinkCalls
    from planner.frontends.python.values.configuration import Configuration
    from planner.frontends.python.values.types import TypeInformation
    from planner.frontends.python.values.watermarks import WatermarkStrategy
    from planner.job import Location

__all__ = ["StreamExecutionEnvironment"]

_MERGING = "python.operator-chaining.enabled"
_LEAST_INTERVAL = 10  # milliseconds, Flink's own limit
_INTERVAL = "execution.checkpointing.interval"
_SAVEPOINTS = "execution.checkpointing.savepoint-dir"
_SAVEPOINTS_BEFORE = "state.savepoints.dir"  # its name before 1.20


class StreamExecutionEnvironment(EnvironmentExtensions):
    """The place where streams begin; `execute` makes a job of them."""

    def __init__(self, j_stream_execution_environment: Any = None, serializer: Any = None) -> None:
        session = current_session()
        options = session.options if session is not None else LoadOptions()
        if session is None:
            tell_errors_plainly()
        elif session.ledger is None:
            session.ledger = Ledger()
        self._ledger: Ledger = session.ledger if session is not None else Ledger()
        self._checks: Checks = checks()
        self._translation = _translation(self, options.api or ("pyflink" if self._checks.pyflink else "java"))
        self._made: list[Draft] = []  # since the last job
        self._registered: list[Draft] = []
        self._settings: dict[str, Any] = {}
        self._options: dict[str, Any] = {}
        self._given: dict[str, Any] = {}  # options by whoever set them last: what getters answer
        self._recorded: list[str] = []
        self._uses_of_versions: list[tuple[str, Location]] = []  # calls that only some versions of Flink have
        self._absent = session.absent_modules if session is not None else ()
        self._java_calls = session.java_calls if session is not None else []
        self._notes = session.notes if session is not None else ()
        default = self._ledger.default_parallelism or (options.parallelism or 1, options.parallelism_origin)
        self._default: int = default[0]
        self._default_origin: str | None = default[1]
        self._parallelism_origin: str | None = None
        self._holders: dict[str, Any] = {}  # settings of execution and of checkpoints, once they are asked for
        self._time_characteristic: Any = None
        self._state_backend: Any = None
        self._restart_strategy: Any = None

    @property
    def _j_stream_execution_environment(self) -> JavaEnvironment:
        from planner.frontends.python.java_objects import JavaEnvironment

        return JavaEnvironment(self)

    def _set_option(self, key: str, value: Any) -> None:
        self.configure({key: value})

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> StreamExecutionEnvironment:
        """A new environment."""
        environment = StreamExecutionEnvironment()
        if configuration is not None:
            environment.configure(configuration)
        return environment

    # --- settings that plans depend on

    def _set(self, name: str, value: Any, checked: ValueType) -> StreamExecutionEnvironment:
        try:
            self._settings[name] = checked.read(value)
        except Fault as fault:
            raise JobDefinitionError(f"{name} {fault.message}", location=user_location(), hint=fault.hint) from None
        return self

    def set_parallelism(self, parallelism: int) -> StreamExecutionEnvironment:
        """Subtasks of the operators that are made from now on."""
        self._parallelism_origin = f"set_parallelism at {user_location()}"
        return self._set("parallelism", parallelism, PARALLELISM)

    def get_parallelism(self) -> int:
        """The subtasks of operators that are made now."""
        return int(self._settings.get("parallelism", self._default))

    def set_max_parallelism(self, max_parallelism: int) -> StreamExecutionEnvironment:
        """Key groups of operators that say nothing themselves."""
        return self._set("max_parallelism", max_parallelism, MAX_PARALLELISM.type)

    def get_max_parallelism(self) -> int:
        """The key groups; -1 where nothing is set."""
        return int(self._settings.get("max_parallelism", -1))

    def set_buffer_timeout(self, timeout_millis: int) -> StreamExecutionEnvironment:
        """Milliseconds until a part-filled network buffer is sent."""
        return self._set("buffer_timeout", timeout_millis, BUFFER_TIMEOUT.type)

    def get_buffer_timeout(self) -> int:
        """The buffer timeout in milliseconds."""
        return int(self._settings.get("buffer_timeout", 100))

    def set_runtime_mode(self, execution_mode: RuntimeExecutionMode) -> StreamExecutionEnvironment:
        """Run as a stream, as a batch, or as the sources suggest."""
        from planner.frontends.python.declared.settings import RuntimeExecutionMode as Mode

        if not isinstance(execution_mode, Mode):
            if not self._checks.pyflink:
                raise wrong(
                    f"set_runtime_mode takes a RuntimeExecutionMode, found {execution_mode!r}",
                    "write RuntimeExecutionMode.BATCH",
                )
            raise AttributeError(f"{type(execution_mode).__name__!r} object has no attribute '_to_j_execution_mode'")
        self._settings["runtime_mode"] = execution_mode.name.lower()
        return self

    def disable_operator_chaining(self) -> StreamExecutionEnvironment:
        """Put every operator into a task of its own; Python operators merge all the same."""
        self._settings["chaining"] = False
        return self

    def is_chaining_enabled(self) -> bool:
        """Whether operators share tasks."""
        return bool(self._settings.get("chaining", True))

    def is_chaining_of_operators_with_different_max_parallelism_enabled(self) -> bool:
        """Whether operators of different max parallelism share tasks."""
        return bool(self._settings.get("chain_different_max_parallelism", True))

    def configure(self, configuration: Configuration | Mapping[str, Any]) -> StreamExecutionEnvironment:
        """Set options by Flink's own keys."""
        options = configuration if isinstance(configuration, Mapping) else configuration._options
        arguments = job_arguments(options, user_location())
        self._given.update(options)
        if "parallelism" in arguments:
            self._parallelism_origin = f"parallelism.default at {user_location()}"
        self._options.update(arguments.pop("options", {}))
        self._settings.update(arguments)
        return self

    # --- settings that only runs depend on: recorded and shown

    def _record(self, call: str, *given: Any) -> None:
        """Remember a call; of a planner job nothing is shown."""
        if not self._checks.pyflink:
            return
        if given:
            from planner.frontends.python.recorded import Call

            call = str(Call(call, tuple(("", value) for value in given)))
        self._recorded.append(call)

    def _keep(self, name: str, value: Any) -> StreamExecutionEnvironment:
        self._record(name, value)
        return self

    def get_config(self) -> ExecutionConfig:
        """Settings of execution."""
        from planner.frontends.python import execution_config as settings

        config: ExecutionConfig = self._holders.setdefault("get_config", settings.ExecutionConfig(self))
        return config

    def get_checkpoint_config(self) -> CheckpointConfig:
        """Settings of checkpoints."""
        from planner.frontends.python import execution_config as settings

        config: CheckpointConfig = self._holders.setdefault("get_checkpoint_config", settings.CheckpointConfig(self))
        return config

    def enable_checkpointing(self, interval: int, mode: CheckpointingMode | None = None) -> StreamExecutionEnvironment:
        """Take checkpoints."""
        if interval < _LEAST_INTERVAL:
            raise JobDefinitionError(
                f"Checkpoint interval must be larger than or equal to {_LEAST_INTERVAL} ms, found {interval}",
                location=user_location(),
                hint="the interval is in milliseconds",
            )
        given: dict[str, Any] = {_INTERVAL: interval}
        if mode is not None:
            given["execution.checkpointing.mode"] = getattr(mode, "name", str(mode))
        self._options.update(given)
        self._given.update(given)
        self._record("enable_checkpointing", interval)
        return self

    def get_checkpoint_interval(self) -> int:
        """Milliseconds between checkpoints; -1 where there are none."""
        return self.get_checkpoint_config().get_checkpoint_interval()

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """How exact checkpoints are."""
        return self.get_checkpoint_config().get_checkpointing_mode()

    def get_checkpointing_consistency_mode(self) -> CheckpointingMode:
        """How exact checkpoints are."""
        return self.get_checkpointing_mode()

    def is_changelog_state_backend_enabled(self) -> bool | None:
        """Whether changes of state are written at once."""
        return None

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """Whether checkpoints pass records."""
        return self.get_checkpoint_config().is_unaligned_checkpoints_enabled()

    def is_force_unaligned_checkpoints(self) -> bool:
        """Whether checkpoints pass records even where they should not."""
        return self.get_checkpoint_config().is_force_unaligned_checkpoints()

    def get_default_savepoint_directory(self) -> str | None:
        """Where savepoints go."""
        return path_text(self._given.get(_SAVEPOINTS) or self._given.get(_SAVEPOINTS_BEFORE))

    def get_default_local_parallelism(self) -> int:
        """The parallelism where nothing is set: never the machine's cores here, so that plans do not depend on it."""
        return self._default

    def register_slot_sharing_group(self, slot_sharing_group: Any) -> StreamExecutionEnvironment:
        """The resources of a group of operators."""
        return self._keep("register_slot_sharing_group", slot_sharing_group)

    def enable_changelog_state_backend(self, enabled: bool) -> StreamExecutionEnvironment:
        """Write changes of state at once."""
        return self._keep("enable_changelog_state_backend", enabled)

    def set_default_savepoint_directory(self, directory: str) -> StreamExecutionEnvironment:
        """Where savepoints go."""
        self._given[_SAVEPOINTS] = directory
        return self._keep("set_default_savepoint_directory", directory)

    def set_default_local_parallelism(self, parallelism: int) -> None:
        """The default of environments that are made from now on."""
        self._ledger.default_parallelism = (parallelism, f"set_default_local_parallelism at {user_location()}")

    def add_python_file(self, file_path: str) -> None:
        """A file for the workers."""
        self._keep("add_python_file", file_path)

    def set_python_executable(self, python_exec: str) -> None:
        """The workers' Python."""
        self._keep("set_python_executable", python_exec)

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Packages for the workers."""
        self._record(f"set_python_requirements({requirements_file_path!r})")

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Files for the workers."""
        self._record(f"add_python_archive({archive_path!r})")

    def register_cached_file(self, file_path: str, name: str, executable: bool = False) -> None:
        """A file for the workers."""
        self._record(f"register_cached_file({file_path!r}, {name!r})")

    def add_jars(self, *jars_path: str) -> None:
        """Jars change nothing in a plan."""
        from planner.frontends.python.connector_checks import check_jar

        for path in jars_path:
            check_jar(path)
        self._record(f"add_jars({', '.join(map(repr, jars_path))})")

    def add_classpaths(self, *classpaths: str) -> None:
        """Class paths change nothing in a plan."""
        from planner.frontends.python.connector_checks import check_jar

        for path in classpaths:
            check_jar(path)
        self._record(f"add_classpaths({', '.join(map(repr, classpaths))})")

    def close(self) -> None:
        """Nothing to close."""

    # --- settings of Flink 1.x: no plan depends on them

    def set_stream_time_characteristic(self, characteristic: TimeCharacteristic) -> StreamExecutionEnvironment:
        """Which time windows go by; with processing time there are no periodic watermarks."""
        from planner.frontends.python.declared.settings import TimeCharacteristic as Time

        self._time_characteristic = Time[characteristic.name]
        processing = self._time_characteristic is Time.ProcessingTime
        self._given["pipeline.auto-watermark-interval"] = 0 if processing else 200
        return self._keep("set_stream_time_characteristic", characteristic)

    def get_stream_time_characteristic(self) -> TimeCharacteristic:
        """Which time windows go by."""
        from planner.frontends.python.declared.settings import TimeCharacteristic as Time

        return self._time_characteristic or Time.EventTime

    def set_state_backend(self, state_backend: Any) -> StreamExecutionEnvironment:
        """Where state is kept."""
        self._state_backend = state_backend
        return self._keep("set_state_backend", state_backend)

    def get_state_backend(self) -> Any:
        """Where state is kept; None where nothing was set."""
        return self._state_backend

    def set_restart_strategy(self, restart_strategy_configuration: Any) -> StreamExecutionEnvironment:
        """When a failed job starts again."""
        return self._checks.restart(self, restart_strategy_configuration)  # type: ignore[no-any-return]

    def get_restart_strategy(self) -> Any:
        """When a failed job starts again."""
        from planner.frontends.python.declared.settings import RestartStrategies

        return self._restart_strategy or RestartStrategies.fall_back_restart()

    def add_default_kryo_serializer(self, type_class_name: str, serializer_class_name: str) -> None:
        """How Java writes a class."""
        self._record(f"add_default_kryo_serializer({type_class_name!r}, {serializer_class_name!r})")

    def register_type_with_kryo_serializer(self, type_class_name: str, serializer_class_name: str) -> None:
        """How Java writes a class."""
        self._record(f"register_type_with_kryo_serializer({type_class_name!r}, {serializer_class_name!r})")

    def register_type(self, type_class_name: str) -> None:
        """A class that Java writes."""
        self._record(f"register_type({type_class_name!r})")

    # --- sources

    def from_collection(self, collection: Iterable[Any], type_info: TypeInformation | None = None) -> DataStream:
        """A source of these records."""
        records = list(collection)
        self._checks.records(records, type_info)
        draft = self._translation.collection(records, type_info or PickledBytesTypeInfo())
        draft.arguments.update(self._checks.output(type_info))
        return self._stream(draft)

    def from_source(
        self, source: Any, watermark_strategy: WatermarkStrategy | None, source_name: str,
        type_info: TypeInformation | None = None,
    ) -> DataStream:  # fmt: skip
        """A new-style source."""
        return self._stream(self._checks.source(self, source, watermark_strategy, source_name, type_info))

    def add_source(
        self, source_func: Any, source_name: str = "Custom Source", type_info: TypeInformation | None = None
    ) -> DataStream:
        """A legacy source."""
        return self._stream(self._checks.legacy_source(self, source_func, source_name, type_info))

    def read_text_file(self, file_path: str, charset_name: str = "UTF-8") -> DataStream:
        """The lines of text files; PyFlink has it up to 1.20."""
        return self._stream(self._checks.text_file(self, file_path, charset_name))

    def _has_jars(self) -> bool:
        """Whether the script names jars, in which Java classes may be that nobody knows here."""
        return "pipeline.jars" in self._options or any(call.startswith("add_jars") for call in self._recorded)

    def create_input(self, input_format: Any, type_info: TypeInformation | None = None) -> DataStream:
        """A source that reads files by an input format: one operator finds the splits, another reads them."""
        self._checks.only_pyflink("create_input")
        from planner.frontends.python.connector_facts import check_input_format, produced_type

        check_input_format(input_format, self._has_jars())
        return self._stream(self._translation.files(input_format, type_info or produced_type(input_format)))

    def _stream(self, draft: Draft) -> DataStream:
        return DataStream(self, draft)

    # --- jobs

    def execute(self, job_name: str | None = None) -> JobExecutionResult:
        """Hand the job over: to whoever loads this file, else to a local Spark session."""
        job = self._job(job_name)
        self._hand_over(job)
        return JobExecutionResult(job.name or "Flink Streaming Job")

    def execute_async(self, job_name: str = "Flink Streaming Job") -> LoadedClient:
        """Hand the job over to whoever loads this file."""
        from planner.frontends.python.clients import LoadedClient

        self._hand_over(self._job(job_name))
        return LoadedClient()

    def get_execution_plan(self) -> str:
        """The plan as Flink prints it, without what only a version of Flink knows; PyFlink's counter goes on."""
        job = self._job(None)
        self._ledger.compile_later(job)
        kept = self._ledger.settle()
        if kept:
            self._registered = [self._ledger.drafts[identity] for identity in kept]
        return printed_plan(job)

    def _collect(self, draft: Draft, job_name: str | None) -> tuple[Draft, list[Any]]:
        """Hand over the job that gives a stream's records; gives what stands in the stream's place then, and them."""
        records = self._hand_over(self._job(job_name or "DataStream Collect", draft))
        if self._translation.java:
            return draft, records
        self._ledger.settle()
        identity = draft.id
        while identity in self._ledger.replaced:
            identity = self._ledger.replaced[identity]
        return self._ledger.drafts[identity], records

    def _hand_over(self, job: JobDefinition) -> list[Any]:
        self._registered, self._made = [], []
        records = hand_over(job)
        if not self._translation.java:
            self._ledger.compile_later(job)
        return records

    def _job(self, job_name: str | None, collected: Draft | None = None) -> JobDefinition:
        return self.job_of(job_name, user_location(), collected)

    def job_of(self, job_name: str | None, location: Location, collected: Draft | None = None) -> JobDefinition:
        """The job of all streams since the last execute(); ours, not PyFlink's."""
        self._ledger.settle()
        roots = [*self._roots(), *([collected] if collected else [])]
        settings = dict(self._settings)
        if job_name is not None:
            settings["name"] = job_name
        settings.setdefault("name", None)
        settings["parallelism"] = self.get_parallelism()
        drafts = reachable(roots)
        if not any(draft.form is Operator for draft in drafts):
            self._refuse_empty(location)
        java, pyflink = self._translation.java, self._checks.pyflink
        if java:
            drafts = self._java_roots(drafts, collected)
        return JobDefinition(
            transformations=freeze(drafts, settings["parallelism"], numbered=not java, runs=pyflink or not java),
            location=location, options=dict(self._options), python=None if java else self._layer(drafts, collected),
            parallelism_origin=self._origin(), recorded=tuple(self._all_recorded()) if pyflink else (),
            absent_modules=self._absent, calls=self._uses(), flink=None if java else self._version(),
            notes=() if java else self._notes, **settings,
        )  # fmt: skip

    def _roots(self) -> list[Draft]:
        """What belongs to the job with all that it reads: PyFlink forgets sources that nobody reads."""
        return self._registered if self._checks.pyflink or not self._translation.java else self._made

    def _refuse_empty(self, location: Location) -> None:
        if not self._checks.pyflink:
            raise JobDefinitionError(
                "the job has no operators, so there is nothing to execute", location=location,
                hint="define at least a source and an operator before execute()",
            )  # fmt: skip
        raise JobDefinitionError(
            "No operators defined in streaming topology. Cannot execute.", location=location,
            hint="define at least one operator or sink before execute(); sources alone do nothing",
        )  # fmt: skip

    def _version(self) -> str:
        from planner.frontends.python.versions import version

        return version()

    def _uses(self) -> tuple[tuple[str, Location], ...]:
        session = current_session()
        noted = session.uses.items() if session is not None else ()
        return (*self._uses_of_versions, *noted)

    def _java_roots(self, drafts: list[Draft], collected: Draft | None) -> list[Draft]:
        if collected is None:
            return drafts
        sink = self._translation.operator([collected], "sink", collected.record_type, parallelism=1)
        return [*drafts, sink]

    def _layer(self, drafts: list[Draft], collected: Draft | None) -> PythonLayer:
        return PythonLayer(
            registered=tuple(draft.id for draft in self._registered),
            remembered={
                d.id: d.inherited for d in drafts if d.form is not Operator and d.inherited != d.inputs[0].parallelism
            },
            next_id=self._ledger.next_id,
            merge=str(self._options.get(_MERGING, True)).lower() != "false",
            collect=collected.id if collected else None,
        )

    def _origin(self) -> str | None:
        if not self._checks.pyflink and self._translation.java:
            return self._parallelism_origin or self._default_origin
        return (
            self._parallelism_origin
            or self._default_origin
            or ("nothing sets it: PyFlink would take the machine's cores, 1 is taken here; say --parallelism N")
        )

    def _all_recorded(self) -> Iterable[str]:
        yield from self._recorded
        yield from self._java_calls
        yield from (f"import {module} (not installed here)" for module in self._absent)
        for getter in ("get_config", "get_checkpoint_config"):
            holder = self._holders.get(getter)
            calls = holder._calls if holder is not None else ()
            yield from (f"{getter}().{call}" for call in calls if call.name != type(holder).__name__)


def _translation(environment: StreamExecutionEnvironment, api: str) -> JavaCalls | PyFlinkCalls:
    """How calls become transformations."""
    if api == "java":
        return JavaCalls(environment)
    from planner.frontends.python.pyflink_calls import PyFlinkCalls

    return PyFlinkCalls(environment)
