"""Two streams that one operator reads."""

from __future__ import annotations

from typing import Any

from planner.errors import JobDefinitionError
from planner.frontends.python.keyed import KeyedStream
from planner.frontends.python.streams import DataStream
from planner.frontends.python.values.types import TypeInformation, type_of
from planner.frontends.python_files.places import user_location
from planner.job import PythonFunction, PythonRun

__all__ = ["BroadcastConnectedStream", "BroadcastStream", "ConnectedStreams"]


class ConnectedStreams:
    """Two streams, each with records of its own."""

    def __init__(self, stream1: DataStream, stream2: DataStream) -> None:
        self.stream1 = stream1
        self.stream2 = stream2

    def _is_keyed_stream(self) -> bool:
        return isinstance(self.stream1, KeyedStream) and isinstance(self.stream2, KeyedStream)

    def key_by(
        self, key_selector1: Any, key_selector2: Any, key_type: TypeInformation | None = None
    ) -> ConnectedStreams:
        """Group both by key; streams that are keyed already start over."""
        first = self.stream1.key_by(key_selector1, key_type)
        return ConnectedStreams(first, self.stream2.key_by(key_selector2, key_type))

    def map(self, func: Any, output_type: Any = None) -> DataStream:
        """A map for each input."""
        return self._operator("co_map", "Co-Map", func, output_type, "CoMapFunction", "function ")

    def flat_map(self, func: Any, output_type: Any = None) -> DataStream:
        """A flat map for each input."""
        return self._operator("co_flat_map", "Co-Flat Map", func, output_type, "CoFlatMapFunction")

    def process(self, func: Any, output_type: Any = None) -> DataStream:
        """A process function of two inputs."""
        name = "Keyed Co-Process" if self._is_keyed_stream() else "Co-Process"
        return self._operator("co_process", name, func, output_type, "CoProcessFunction KeyedCoProcessFunction")

    def _operator(
        self, kind: str, name: str, func: Any, output_type: Any, functions: str, what: str = ""
    ) -> DataStream:
        checks = self.stream1._checks
        checks.instance(func, functions, f"The input {what}must be a {functions.replace(' ', ' or ')}!", kind)
        keyed = self._is_keyed_stream()
        if keyed and checks.pyflink:
            self._check_keys()
        draft = self.stream1._environment._translation.operator(
            [self.stream1._draft, self.stream2._draft], kind, type_of(output_type), name=name,
            python="keyed" if keyed else "plain", behaviour=PythonFunction(target=func), **checks.output(output_type),
        )  # fmt: skip
        return self.stream1._stream(draft)

    def _check_keys(self) -> None:
        first, second = self.stream1, self.stream2
        assert isinstance(first, KeyedStream)
        assert isinstance(second, KeyedStream)
        if first._key_type != second._key_type:
            raise JobDefinitionError(
                f"Key types if input KeyedStreams don't match: {first._key_type} and {second._key_type}.",
                location=user_location(),
                hint="give both key_by() calls the same key_type",
            )


class BroadcastStream:
    """A stream that every subtask gets whole, as broadcast state."""

    def __init__(self, input_stream: Any, broadcast_state_descriptors: list[Any]) -> None:
        self.input_stream = input_stream
        self.broadcast_state_descriptors = broadcast_state_descriptors


class BroadcastConnectedStream:
    """A stream with broadcast state next to it."""

    def __init__(
        self,
        non_broadcast_stream: DataStream,
        broadcast_stream: BroadcastStream,
        broadcast_state_descriptors: list[Any],
    ) -> None:
        self.non_broadcast_stream = non_broadcast_stream
        self.broadcast_stream = broadcast_stream
        self.broadcast_state_descriptors = broadcast_state_descriptors

    def process(self, func: Any, output_type: Any = None) -> DataStream:
        """A process function that reads the state for records and changes it for broadcast ones."""
        stream, environment = self.non_broadcast_stream, self.non_broadcast_stream._environment
        keyed = isinstance(stream, KeyedStream)
        stream._checks.broadcast_function(func, keyed)
        python_parallelism = stream._checks.pyflink or not environment._translation.java
        own: dict[str, Any] = {"parallelism": environment.get_parallelism()} if python_parallelism else {}
        draft = environment._translation.operator(
            [stream._draft, self.broadcast_stream.input_stream._draft], "co_process", type_of(output_type),
            name="Keyed-Co-Process-Broadcast" if keyed else "Co-Process-Broadcast", label="broadcast_process",
            python="broadcast", behaviour=PythonFunction(target=func),
            run=PythonRun(states=tuple(self.broadcast_state_descriptors)),
            **own, **stream._checks.output(output_type),
        )  # fmt: skip
        return stream._stream(draft)
