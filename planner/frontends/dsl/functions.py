"""Base classes of user functions and descriptors of their state, by PyFlink's names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = [
    "AggregateFunction",
    "AggregatingStateDescriptor",
    "AsyncFunction",
    "CoFlatMapFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "KeySelector",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "ListStateDescriptor",
    "MapFunction",
    "MapStateDescriptor",
    "OutputTag",
    "Partitioner",
    "ProcessFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "ReducingStateDescriptor",
    "RuntimeContext",
    "SinkFunction",
    "SourceFunction",
    "StateDescriptor",
    "ValueStateDescriptor",
]


class Function:
    """What every user function has: a life before and after its records."""

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once before the first record."""

    def close(self) -> None:
        """Called once after the last record."""


class RuntimeContext:
    """What a running function may ask; the runner hands in one that answers."""


def _function(name: str, doc: str, *methods: str) -> type[Function]:
    def method(method_name: str) -> Callable[..., Any]:
        def missing(self: Any, *arguments: Any) -> Any:
            raise NotImplementedError(f"{type(self).__name__} does not define {method_name}()")

        missing.__name__ = method_name
        return missing

    return type(name, (Function,), {"__doc__": doc, "__module__": __name__, **{m: method(m) for m in methods}})


MapFunction: Any = _function("MapFunction", "One record in, one out.", "map")
FlatMapFunction: Any = _function("FlatMapFunction", "One record in, any number out.", "flat_map")
FilterFunction: Any = _function("FilterFunction", "Whether a record stays.", "filter")
ReduceFunction: Any = _function("ReduceFunction", "Two records of one key become one.", "reduce")
KeySelector: Any = _function("KeySelector", "The key of a record.", "get_key")
Partitioner: Any = _function("Partitioner", "The subtask of a key.", "partition")
ProcessFunction: Any = _function("ProcessFunction", "A record with its time, side outputs.", "process_element")
KeyedProcessFunction: Any = _function(
    "KeyedProcessFunction", "A keyed record with state and timers.", "process_element"
)
CoMapFunction: Any = _function("CoMapFunction", "A map for each of two inputs.", "map1", "map2")
CoFlatMapFunction: Any = _function("CoFlatMapFunction", "A flat map for each of two inputs.", "flat_map1", "flat_map2")
CoProcessFunction: Any = _function("CoProcessFunction", "Two inputs.", "process_element1", "process_element2")
KeyedCoProcessFunction: Any = _function(
    "KeyedCoProcessFunction", "Two keyed inputs with shared state.", "process_element1", "process_element2"
)
AggregateFunction: Any = _function(
    "AggregateFunction", "An incremental aggregate.", "create_accumulator", "add", "get_result", "merge"
)
ProcessWindowFunction: Any = _function("ProcessWindowFunction", "All records of a key and window.", "process")
AsyncFunction: Any = _function(
    "AsyncFunction",
    "A record that is answered later; `timeout(value)` answers where that takes too long.",
    "async_invoke",
)


class SinkFunction(Function):
    """Takes each record out of the job."""

    def invoke(self, value: Any, context: Any = None) -> None:
        """Take one record."""
        raise NotImplementedError(f"{type(self).__name__} does not define invoke()")


class SourceFunction(Function):
    """A legacy source; `parallel = False` on the class makes it one that cannot run in parallel."""

    parallel: bool = True

    def run(self, ctx: Any) -> None:
        """Emit records."""
        raise NotImplementedError(f"{type(self).__name__} does not define run()")

    def cancel(self) -> None:
        """Stop emitting."""


@dataclass(frozen=True, slots=True)
class OutputTag:
    """The name of a side output and the type of its records."""

    tag_id: str
    type_info: Any = None


@dataclass(frozen=True, slots=True)
class StateDescriptor:
    """The name and type of a state."""

    name: str
    type_info: Any = None


class ValueStateDescriptor(StateDescriptor):
    """One value a key."""


class ListStateDescriptor(StateDescriptor):
    """A list a key."""


@dataclass(frozen=True, slots=True)
class MapStateDescriptor:
    """A map a key."""

    name: str
    key_type_info: Any = None
    value_type_info: Any = None


@dataclass(frozen=True, slots=True)
class ReducingStateDescriptor:
    """One value a key, reduced as values are added."""

    name: str
    reduce_function: Any
    type_info: Any = None


@dataclass(frozen=True, slots=True)
class AggregatingStateDescriptor:
    """One aggregate a key."""

    name: str
    agg_function: Any
    state_type_info: Any = None


class _Context:
    """What a process function gets beside the record; the runner hands in one that answers."""


for _owner in (ProcessFunction, KeyedProcessFunction, CoProcessFunction, KeyedCoProcessFunction, ProcessWindowFunction):
    _owner.Context = _Context
    _owner.OnTimerContext = _Context
