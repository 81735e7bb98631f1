"""What is checked and remembered while a job is declared, by what its file imports: the streams' part of `differences`.

An environment has `PyFlinkChecks` where the file imports `pyflink`: what PyFlink refuses is refused with PyFlink's own
errors. It has `PlannerChecks` where the file imports `planner`: what is wrong is told at the user's line, functions may
be plain ones, and SQL expressions, columns and Spark's readers and writers stand where PyFlink takes functions and
connectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from planner.errors import JobDefinitionError
from planner.frontends.python.calls import TextFile
from planner.frontends.python.differences import as_pyflink, milliseconds, wrong
from planner.frontends.python.extensions import source_of, text_source
from planner.frontends.python.values.types import (
    BasicArrayTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    Types,
    type_of,
)
from planner.frontends.python_files.places import user_location
from planner.job import Operator, PythonFunction, Select, Where
from planner.kinds import SINKS

if TYPE_CHECKING:
    from planner.frontends.python.drafts import Draft
    from planner.frontends.python.environment import StreamExecutionEnvironment
    from planner.frontends.python.streams import DataStream
    from planner.frontends.python.values.types import TypeInformation
    from planner.frontends.python.windowed import _Windows
    from planner.job import Behaviour

__all__ = ["Checks", "PlannerChecks", "PyFlinkChecks", "checks"]

_FUNCTIONS = "planner.frontends.python.declared.functions"


def checks() -> Checks:
    """The checks of the file that is being loaded."""
    return PyFlinkChecks() if as_pyflink() else PlannerChecks()


class PlannerChecks:
    """A file that imports `planner`."""

    pyflink = False

    def function(self, func: Any, kind: str, message: str, call: str) -> None:
        """Refuse what is no function; `kind` is PyFlink's class for it, `message` what PyFlink says."""
        if not callable(func) and not hasattr(type(func), "open"):
            raise wrong(f"{call} takes a function, found {func!r}")

    def instance(self, func: Any, kinds: str, message: str, call: str) -> None:
        """Refuse what is none of PyFlink's classes, where PyFlink takes no plain functions."""
        self.function(func, kinds, message, call)

    def mapping(self, func: Any) -> Behaviour:
        """What map() does: a function, or columns with their SQL expressions."""
        if isinstance(func, Mapping):
            return Select(columns=tuple((str(name), str(expression)) for name, expression in func.items()))
        self.function(func, "MapFunction", "", "map")
        return PythonFunction(target=func)

    def condition(self, func: Any) -> Behaviour:
        """What filter() does: a function, or a SQL condition."""
        if isinstance(func, str):
            return Where(condition=func)
        self.function(func, "FilterFunction", "", "filter")
        return PythonFunction(target=func)

    def key(self, selector: Any, call: str, key_type: TypeInformation | None = None) -> tuple[Any, dict[str, Any]]:
        """The function that reads a key, and what a partition by key knows besides: columns, the key's type."""
        known = {"key_type": key_type.to_ddl()} if key_type is not None else {}
        if isinstance(selector, str):
            return None, {**known, "key_columns": (selector,)}
        if call == "key_by" and isinstance(selector, list | tuple) and all(isinstance(one, str) for one in selector):
            return None, {**known, "key_columns": tuple(selector)}
        self.function(selector, "KeySelector", "", call)
        return selector, known

    def output(self, declared: TypeInformation | None) -> dict[str, Any]:
        """What an operator knows of its declared type: its columns in Spark."""
        return {} if declared is None else {"output": type_of(declared).to_ddl()}

    def operator(self, draft: Draft, call: str) -> None:
        """Refuse a setting where there is no operator that could take it."""
        if draft.form is not Operator:
            raise wrong(
                f"{call}() belongs to an operator, this stream is a {_what(draft)}",
                f"call {call}() on the operator before or after it",
            )

    def setting(self, draft: Draft) -> None:
        """Refuse settings that do not go together."""
        settings = draft.arguments
        if settings["kind"] in SINKS and settings.get("chaining") == "start_new":
            raise wrong("Flink's sinks cannot start a new chain", "use disable_chaining()")
        if settings.get("api") == "v2" and "uid_hash" in settings:
            raise wrong("Flink takes no uid hash on a v2 sink, which becomes several operators", "use uid()")
        if settings.get("parallel") is False and settings.get("parallelism", 1) != 1:
            raise wrong("a source that is not parallel has one subtask")

    def keyed_setting(self, draft: Draft, call: str, words: str) -> NoReturn:
        """Refuse a setting of a keyed stream."""
        self.operator(draft, call)
        raise AssertionError("a keyed stream is a partition")

    def keyed_partition(self, partitioner: str) -> NoReturn:
        """Refuse to partition a keyed stream."""
        raise wrong(
            f"a keyed stream is partitioned by its key already, {partitioner.lower()} cannot change that",
            "partition before key_by, or drop key_by",
        )

    def side_output(self, draft: Draft) -> None:
        """Refuse side outputs of what is no operator."""
        if draft.form is not Operator:
            raise wrong(
                f"only an operator has side outputs, this stream is a {_what(draft)}",
                "call get_side_output on the operator's own result",
            )

    def together(self, stream: DataStream, *others: DataStream) -> None:
        """Refuse streams that do not belong to one job."""
        for other in others:
            if getattr(other, "_environment", None) is not stream._environment:
                raise wrong("streams of one job come from one environment")

    def union(self, drafts: list[Draft]) -> None:
        """Records of all types may come together."""

    def descriptors(self, descriptors: tuple[Any, ...]) -> None:
        """Refuse broadcast state that is no map."""
        for one in descriptors:
            if getattr(one, "state_kind", None) != "map":
                raise wrong(f"broadcast takes MapStateDescriptors, found {one!r}")

    def broadcast_function(self, func: Any, keyed: bool) -> None:
        """Refuse what cannot process rules."""
        if not callable(getattr(func, "process_broadcast_element", None)):
            raise wrong(f"a broadcast stream is processed by a BroadcastProcessFunction, found {func!r}")

    def only_pyflink(self, call: str) -> None:
        """Refuse a call that is planned for PyFlink scripts only: no run of a planner job would follow it."""
        raise wrong(f"{call}() is for PyFlink scripts only", "write the job with `from pyflink...` imports")

    # --- windows

    def window(self, assigner: Any) -> None:
        """Refuse what is no window of Flink's."""
        from planner.frontends.python.behaviours import window_of

        if window_of(assigner) is None:
            raise wrong(
                f"window takes an event-time window, found {assigner!r}",
                "write TumblingEventTimeWindows.of(Time.seconds(5))",
            )

    def count_window(self, size: Any, slide: Any) -> None:
        """Refuse what is no number of records."""
        for number, least, what in ((size, 1, "size"), (slide, 0, "slide")):
            if not isinstance(number, int) or isinstance(number, bool) or number < least:
                raise wrong(
                    f"the {what} of a count window must be a whole number of at least {least}, found {number!r}"
                )

    def trigger(self, trigger: Any) -> None:
        """Refuse what is no trigger."""
        if not callable(getattr(trigger, "on_element", None)):
            raise wrong(f"trigger takes a Trigger, found {trigger!r}", "write CountTrigger.of(5)")

    def lateness(self, time: Any) -> int:
        """How late records may be, in milliseconds."""
        lateness = milliseconds(time)
        if lateness < 0:
            raise wrong("the allowed lateness must not be negative")
        return lateness

    def windowed(self, windows: _Windows, form: Any, function: Any) -> dict[str, Any]:
        """What a window operator knows: the window itself."""
        from planner.frontends.python.behaviours import window_behaviour

        return {"behaviour": window_behaviour(windows, form, function)}

    # --- sources and sinks

    def records(self, records: list[Any], kind: TypeInformation | None) -> None:
        """Records are fitted to their type when the job runs."""

    def source(
        self, environment: StreamExecutionEnvironment, source: Any, strategy: Any, name: str,
        type_info: TypeInformation | None,
    ) -> Draft:  # fmt: skip
        """A new-style source: one of Spark's readers, one of PyFlink's connectors, or any object."""
        from planner.frontends.python.behaviours import watermarks_of

        behaviour, bounded, kind = source_of(source)
        return environment._translation.operator(
            [], "source", type_info or kind or PickledBytesTypeInfo(), name=name, behaviour=behaviour, bounded=bounded,
            watermarks=watermarks_of(strategy) if strategy is not None else None, **self.output(type_info),
        )  # fmt: skip

    def legacy_source(
        self, environment: StreamExecutionEnvironment, function: Any, name: str, type_info: TypeInformation | None
    ) -> Draft:
        """A source function; one that says `parallel = False` runs alone."""
        parallel = bool(getattr(function, "parallel", True))
        draft = environment._translation.operator(
            [], "source", type_info or PickledBytesTypeInfo(), name=name, legacy=True, parallel=parallel, bounded=False,
            inherited=None if parallel else 1, behaviour=PythonFunction(target=function), **self.output(type_info),
        )  # fmt: skip
        draft.fixed = not parallel
        return draft

    def text_file(self, environment: StreamExecutionEnvironment, path: str, charset: str) -> Draft:
        """A new-style source of the lines of a text file."""
        return text_source(environment, path, charset)

    def sink(self, stream: DataStream, sink: Any) -> Draft:
        """A new-style sink."""
        behaviour = getattr(sink, "behaviour", None) or PythonFunction(target=sink)
        committer = bool(getattr(sink, "committer", False))
        draft = stream._draft
        return stream._environment._translation.operator(
            [draft], "sink", draft.record_type, behaviour=behaviour, api="v2", committer=committer
        )

    def legacy_sink(self, stream: DataStream, sink: Any) -> Draft:
        """A sink function, or one of Spark's writers."""
        behaviour = getattr(sink, "behaviour", None)
        if behaviour is None:
            self.function(sink, "SinkFunction", "", "add_sink")
            behaviour = PythonFunction(target=sink)
        draft = stream._draft
        return stream._environment._translation.operator([draft], "sink", draft.record_type, behaviour=behaviour)

    def restart(self, environment: StreamExecutionEnvironment, strategy: Any) -> Any:
        """A restart strategy is a setting of the job. The answer of the environment's setter."""
        from planner.frontends.python.behaviours import restart_of

        environment._settings["restart_strategy"] = restart_of(strategy)
        return environment

    # --- asynchronous functions

    def asynchronous(self, stream: DataStream, function: Any, timeout: Any, retries: Any, capacity: Any) -> None:
        """Refuse what nobody could wait for."""
        if capacity is not None and (not isinstance(capacity, int) or isinstance(capacity, bool) or capacity < 1):
            raise wrong(f"capacity must be at least 1, found {capacity!r}")
        if timeout is not None and milliseconds(timeout) <= 0:
            raise wrong("the timeout must be positive")
        self.function(function, "AsyncFunction", "", "async_map")


def _refuse_arrays(key_type: TypeInformation) -> None:
    """Refuse a key with an array in it, as Flink does: arrays of Java have no hash of what they hold."""
    parts = [key_type]
    for kind in parts:
        if isinstance(kind, PrimitiveArrayTypeInfo | BasicArrayTypeInfo | ObjectArrayTypeInfo):
            raise wrong(
                f"key_by(): {key_type} cannot be used as key: Flink takes no {kind}",
                "give a key_type without arrays, for example Types.STRING(), or none",
            )
        if isinstance(kind, RowTypeInfo | TupleTypeInfo):
            parts.extend(kind.get_field_types())


class PyFlinkChecks:
    """A file that imports `pyflink`: PyFlink's own checks, words and errors."""

    pyflink = True

    def function(self, func: Any, kind: str, message: str, call: str) -> None:
        """Refuse what is neither of a class nor callable."""
        if not callable(func):
            self.instance(func, kind, message, call)

    def instance(self, func: Any, kinds: str, message: str, call: str) -> None:
        """Refuse what is of none of these classes."""
        functions = import_module(_FUNCTIONS)
        if not isinstance(func, tuple(getattr(functions, kind) for kind in kinds.split())):
            raise TypeError(message)

    def mapping(self, func: Any) -> Behaviour:
        """What map() does."""
        self.function(func, "MapFunction", "The input must be a MapFunction or a callable function", "map")
        return PythonFunction(target=func)

    def condition(self, func: Any) -> Behaviour:
        """What filter() does."""
        self.function(func, "FilterFunction", "The input must be a FilterFunction or a callable function", "filter")
        return PythonFunction(target=func)

    def key(self, selector: Any, call: str, key_type: TypeInformation | None = None) -> tuple[Any, dict[str, Any]]:
        """The function that reads a key."""
        message = "Parameter key_selector should be type of KeySelector or a callable function."
        self.function(selector, "KeySelector", message, call)
        if call == "key_by" and key_type is not None:
            _refuse_arrays(key_type)
        return selector, {}

    def output(self, declared: TypeInformation | None) -> dict[str, Any]:
        """Types are facts of the run."""
        return {}

    def operator(self, draft: Draft, call: str) -> None:
        """What is no operator has no such methods in Java."""
        if draft.form is not Operator:
            raise wrong(
                f"{call}() belongs to an operator, this stream is a {_what(draft)}: PyFlink has no such method there",
                f"call {call}() on the operator before or after it",
            )

    def setting(self, draft: Draft) -> None:
        """Flink finds the rest."""

    def keyed_setting(self, draft: Draft, call: str, words: str) -> NoReturn:
        """Refuse a setting of a keyed stream."""
        raise Exception(f"{words} for KeyedStream is not supported.")

    def keyed_partition(self, partitioner: str) -> NoReturn:
        """Refuse to partition a keyed stream."""
        raise Exception("Cannot override partitioning for KeyedStream.")

    def side_output(self, draft: Draft) -> None:
        """Refuse side outputs of what is no operator."""
        if draft.form is not Operator:
            raise JobDefinitionError(
                "only an operator has side outputs: PyFlink says that the method getSideOutput does not exist",
                location=user_location(), hint="call get_side_output() on the operator's own result",
            )  # fmt: skip

    def together(self, stream: DataStream, *others: DataStream) -> None:
        """PyFlink does not look."""

    def union(self, drafts: list[Draft]) -> None:
        """All streams of a union have one type."""
        for draft in drafts[1:]:
            if draft.record_type != drafts[0].record_type:
                raise TypeError(
                    f"Cannot union streams of different types: {drafts[0].record_type} and {draft.record_type}"
                )

    def descriptors(self, descriptors: tuple[Any, ...]) -> None:
        """Refuse broadcast state that is no map."""
        for one in descriptors:
            self.instance(one, "MapStateDescriptor", "broadcast_state_descriptor must be MapStateDescriptor", "")

    def broadcast_function(self, func: Any, keyed: bool) -> None:
        """Refuse a function of the other kind of stream."""
        functions = import_module(_FUNCTIONS)
        if isinstance(func, functions.BroadcastProcessFunction) and keyed:
            raise TypeError("BroadcastProcessFunction should be applied to non-keyed DataStream")
        if isinstance(func, functions.KeyedBroadcastProcessFunction) and not keyed:
            raise TypeError("KeyedBroadcastProcessFunction should be applied to keyed DataStream")

    def only_pyflink(self, call: str) -> None:
        """PyFlink has it."""

    # --- windows

    def window(self, assigner: Any) -> None:
        """Any assigner will do."""

    def count_window(self, size: Any, slide: Any) -> None:
        """PyFlink does not look."""

    def trigger(self, trigger: Any) -> None:
        """PyFlink does not look."""

    def lateness(self, time: Any) -> int:
        """PyFlink takes whatever it is given; a Time is no number, and the window operator would fail with it."""
        return int(time.to_milliseconds() if hasattr(time, "to_milliseconds") else time)

    def windowed(self, windows: _Windows, form: Any, function: Any) -> dict[str, Any]:
        """The function; the window is a fact of the run."""
        return {"behaviour": PythonFunction(target=function), **windows._described(form)}

    # --- sources and sinks

    def records(self, records: list[Any], kind: TypeInformation | None) -> None:
        """Refuse records that Java could not take as their type."""
        if kind is not None:
            from planner.frontends.python.values.records import record_of

            for record in records:
                record_of(record, kind)

    def source(
        self, environment: StreamExecutionEnvironment, source: Any, strategy: Any, name: str,
        type_info: TypeInformation | None,
    ) -> Draft:  # fmt: skip
        """A new-style source; one of Spark's readers is as in a planner job."""
        if hasattr(source, "behaviour"):
            return PlannerChecks().source(environment, source, strategy, name, type_info)
        from planner.frontends.python.connector_facts import new_source

        return new_source(environment, source, strategy, name, type_info)

    def legacy_source(
        self, environment: StreamExecutionEnvironment, function: Any, name: str, type_info: TypeInformation | None
    ) -> Draft:
        """A source function."""
        from planner.frontends.python.connector_facts import legacy_source

        return legacy_source(environment, function, name, type_info)

    def text_file(self, environment: StreamExecutionEnvironment, path: str, charset: str) -> Draft:
        """One operator finds the files, another reads them."""
        if path is None or not str(path).strip():
            raise wrong("The file path must not be null or blank.", "name a file or a folder")
        reader = TextFile(path=str(path), charset=charset)
        return environment._translation.files(reader, Types.STRING(), "Custom File Source")

    def sink(self, stream: DataStream, sink: Any) -> Draft:
        """A new-style sink; one of Spark's writers is as in a planner job."""
        if hasattr(sink, "behaviour"):
            return PlannerChecks().sink(stream, sink)
        from planner.frontends.python.connector_facts import new_sink

        return new_sink(stream, sink)

    def legacy_sink(self, stream: DataStream, sink: Any) -> Draft:
        """A sink function."""
        from planner.frontends.python.connector_facts import legacy_sink

        return legacy_sink(stream, sink)

    def restart(self, environment: StreamExecutionEnvironment, strategy: Any) -> Any:
        """Recorded and shown; PyFlink's setter answers None."""
        environment._restart_strategy = strategy
        environment._keep("set_restart_strategy", strategy)

    # --- asynchronous functions

    def asynchronous(self, stream: DataStream, function: Any, timeout: Any, retries: Any, capacity: Any) -> None:
        """PyFlink's own checks."""
        from planner.frontends.python.async_streams import check_wait

        check_wait(stream, function, timeout, retries)


Checks = PlannerChecks | PyFlinkChecks


def _what(draft: Draft) -> str:
    """What a stream is that is no operator: its partitioner, a union, a side output."""
    return str(draft.arguments.get("partitioner") or draft.form.__name__).lower()
