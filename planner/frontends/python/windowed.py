"""Windows over keyed streams, and over all records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from planner.frontends.python.keyed import KeyedStream
from planner.frontends.python.values.assigners import MergingWindowAssigner
from planner.frontends.python.values.types import OutputTag, PickledBytesTypeInfo, TypeInformation, type_of
from planner.job import PythonRun, PythonWindow

if TYPE_CHECKING:
    from planner.frontends.python.environment import StreamExecutionEnvironment
    from planner.frontends.python.keyed import KeyedStream
    from planner.frontends.python.streams import DataStream

__all__ = ["AllWindowedStream", "WindowedStream"]

_Form = Literal["reduce", "aggregate", "apply", "process"]


class _Windows:
    """What both kinds of windows can do."""

    _functions: str  # those that may follow reduce and aggregate
    _shape: str

    def __init__(self, keyed: KeyedStream, window_assigner: Any) -> None:
        self._keyed_stream = keyed
        self._checks = keyed._checks
        self._window_assigner = window_assigner
        self._window_trigger: Any = None
        self._allowed_lateness = 0
        self._late_data_output_tag: OutputTag | None = None
        self._accumulator_type: TypeInformation | None = None

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """The environment the stream belongs to."""
        return self._keyed_stream.get_execution_environment()

    def get_input_type(self) -> TypeInformation:
        """The type of the records."""
        return self._keyed_stream._original_data_type_info

    def trigger(self, trigger: Any) -> Self:
        """When windows give their results."""
        self._checks.trigger(trigger)
        self._window_trigger = trigger
        return self

    def allowed_lateness(self, time_ms: Any) -> Self:
        """How long a window waits for late records, in milliseconds."""
        self._allowed_lateness = self._checks.lateness(time_ms)
        return self

    def side_output_late_data(self, output_tag: OutputTag) -> Self:
        """Where records go that come too late."""
        self._late_data_output_tag = output_tag
        return self

    def reduce(self, reduce_function: Any, window_function: Any = None, output_type: Any = None) -> DataStream:
        """Two records of a window become one. A planner job gives no window function, and the type may come second."""
        message = "The input must be a ReduceFunction or a callable function!"
        self._checks.function(reduce_function, "ReduceFunction", message, "reduce")
        window_function, output_type = self._after_aggregate("reduce", window_function, output_type)
        kind = self.get_input_type() if window_function is None and output_type is None else type_of(output_type)
        return self._result("reduce", kind, output_type, reduce_function, window_function)

    def aggregate(
        self, aggregate_function: Any, window_function: Any = None, accumulator_type: Any = None,
        output_type: Any = None,
    ) -> DataStream:  # fmt: skip
        """An incremental aggregate of each window. A planner job gives no window function."""
        message = "The input must be a pyflink.datastream.functions.AggregateFunction!"
        self._checks.instance(aggregate_function, "AggregateFunction", message, "aggregate")
        window_function, output_type = self._after_aggregate("aggregate", window_function, output_type)
        self._accumulator_type = type_of(accumulator_type) if accumulator_type is not None else None
        return self._result("aggregate", type_of(output_type), output_type, aggregate_function, window_function)

    def apply(self, window_function: Any, output_type: Any = None) -> DataStream:
        """All records of a window at once."""
        self._checks.only_pyflink("apply")
        return self._result("apply", type_of(output_type), output_type, window_function)

    def process(self, process_window_function: Any, output_type: Any = None) -> DataStream:
        """All records of a window at once, with a context."""
        if not self._checks.pyflink:
            self._checks.function(process_window_function, "ProcessWindowFunction", "", "process")
        return self._result("process", type_of(output_type), output_type, process_window_function)

    def _after_aggregate(self, call: str, window_function: Any, output_type: Any) -> tuple[Any, Any]:
        """The window function after an aggregate, and the declared type."""
        if not self._checks.pyflink and isinstance(window_function, TypeInformation):
            return None, window_function
        if window_function is not None:
            self._checks.only_pyflink(f"{call} with a window function")
            message = f"window_function should be a {self._functions.replace(' ', ' or ')}"
            self._checks.instance(window_function, self._functions, message, call)
        return window_function, output_type

    def _result(self, form: _Form, kind: TypeInformation, declared: Any, *functions: Any) -> DataStream:
        keyed, name = self._keyed_stream, type(self._window_assigner).__name__
        self._given = functions
        draft = keyed._environment._translation.operator(
            [keyed._draft], "window_reduce", kind, name=name, label="window", python="keyed",
            **{**self._checks.windowed(self, form, functions[0]), **self._checks.output(declared)},
        )  # fmt: skip
        return keyed._stream(draft)

    def _described(self, form: _Form) -> dict[str, Any]:
        """What PyFlink says of a window operator, and what its run needs."""
        assigner, functions = self._window_assigner, self._given
        if self._window_trigger is None:
            self._window_trigger = assigner.get_default_trigger(self.get_execution_environment())
        assigner.get_window_serializer()
        named = [type(function).__name__ for function in functions if function is not None]
        trigger, name = type(self._window_trigger).__name__, type(assigner).__name__
        return {
            "written_name": name if self._keyed_stream._environment._translation.java else None,
            "description": f"{self._shape}({assigner}, {trigger}, {', '.join(named)})",
            "run": PythonRun(window=self._window(form, *functions)),
        }

    def _window(self, form: _Form, function: Any, window_function: Any = None) -> PythonWindow:
        late = self._late_data_output_tag
        return PythonWindow(
            assigner=self._window_assigner, trigger=self._window_trigger, form=form, function=function,
            window_function=window_function, all_records=self._shape == "AllWindow",
            lateness=self._allowed_lateness, late_tag=late.tag_id if late is not None else None,
            accumulator_type=self._accumulator_type,
        )  # fmt: skip


class WindowedStream(_Windows):
    """A keyed stream in windows."""

    _functions = "WindowFunction ProcessWindowFunction"
    _shape = "Window"


class AllWindowedStream(_Windows):
    """All records in windows: a keyed stream with one key."""

    _functions = "AllWindowFunction ProcessAllWindowFunction"
    _shape = "AllWindow"

    def __init__(self, stream: DataStream, window_assigner: Any) -> None:
        stream = getattr(stream, "_origin_stream", stream)  # of a keyed stream, the one that was keyed
        key = PickledBytesTypeInfo()
        draft = stream._environment._translation.key_by(stream._draft, _one_key, key, helper="window_all")
        super().__init__(KeyedStream(stream, draft, key), window_assigner)

    def trigger(self, trigger: Any) -> Self:
        """When windows give their results."""
        if isinstance(self._window_assigner, MergingWindowAssigner) and trigger.can_merge() is not True:
            raise TypeError("A merging window assigner cannot be used with a trigger that does not support merging.")
        return super().trigger(trigger)


def _one_key(value: Any) -> int:
    return 0
