"""Functions with broadcast state: rules that every subtask has its own copy of, kept from batch to batch.

Runs on workers. As in Flink, only broadcast records change the rules; the other input reads them.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from spark_runner.executor.state import MapState, descriptor_name
from spark_runner.executor.streaming.contexts import StreamContext
from spark_runner.executor.streaming.keyed import KeyedOperator
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.operators import StreamOperator
from spark_runner.executor.streaming.store import Domain

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["BroadcastOperator", "KeyedBroadcastOperator"]

_RULES = "broadcast"


class _Rules:
    """The broadcast states of one subtask, as a store that state objects read."""

    key = None

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values


class _ReadOnly(MapState):
    """Rules as the other input sees them."""

    def _refuse(self, *_: Any) -> None:
        raise RuntimeError("broadcast state can be changed in process_broadcast_element() alone")

    put = put_all = remove = clear = __setitem__ = __delitem__ = _refuse  # type: ignore[assignment]


class _BroadcastContext(StreamContext):
    """What the function gets beside a record."""

    def __init__(self, operator: Any, state: Any, rules: _Rules, kind: type[MapState]) -> None:
        super().__init__(operator, state)
        self._rules, self._kind, self._operator = rules, kind, operator

    def get_broadcast_state(self, descriptor: Any) -> MapState:
        """The rules of one descriptor."""
        return self._kind(self._rules, descriptor_name(descriptor))  # type: ignore[arg-type]

    def apply_to_keyed_state(self, descriptor: Any, function: Any) -> None:
        """Call a function with every key that has this state, and the state."""
        self._operator.apply_to_keys(descriptor, function)

    def current_watermark(self) -> int:
        return int(self._operator.watermark)

    def current_processing_time(self) -> int:
        return int(self._operator.task.now)


class _Broadcasting(StreamOperator):
    """What both kinds share."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        self.rules = _Rules(copy.copy(task.kept(spec.id, _RULES, {})))
        state = getattr(self, "store", None)
        self.reading = _BroadcastContext(self, state, self.rules, _ReadOnly)
        self.writing = _BroadcastContext(self, None, self.rules, MapState)

    def push_from(self, position: int, value: Any, stamp: int | None) -> None:
        """A record of the main input, or a broadcast one."""
        if position == 0:
            self.reading.stamp = stamp
            self.emit_all(self.function.process_element(value, self.reading), stamp)
        else:
            self.writing.stamp = stamp
            self.emit_all(self.function.process_broadcast_element(value, self.writing), stamp)

    def save(self) -> None:
        super().save()
        self.task.keep(self.spec.id, _RULES, self.rules.values, default={})


class BroadcastOperator(_Broadcasting):
    """Records without a key."""

    def apply_to_keys(self, descriptor: Any, function: Any) -> None:
        """There are no keys."""
        raise RuntimeError("apply_to_keyed_state needs a keyed stream: call key_by() before this operator")


class KeyedBroadcastOperator(_Broadcasting, KeyedOperator):
    """Keyed records with state and timers."""

    def fire(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        on_timer = getattr(self.function, "on_timer", None)
        if callable(on_timer):
            self.reading.stamp, self.reading.domain = when, domain
            self.emit_all(on_timer(when, self.reading), when if domain == "event" else None)

    def apply_to_keys(self, descriptor: Any, function: Any) -> None:
        """Every key that has the state, in one order whatever the cut into batches."""
        runtime = self.runtime()
        states = {"ListStateDescriptor": runtime.get_list_state, "MapStateDescriptor": runtime.get_map_state,
                  "ReducingStateDescriptor": runtime.get_reducing_state,
                  "AggregatingStateDescriptor": runtime.get_aggregating_state}  # fmt: skip
        state = states.get(type(descriptor).__name__, runtime.get_state)(descriptor)
        for entry in self.store.all_entries():
            if descriptor_name(descriptor) in entry.values:
                self.store.take(entry)
                function(entry.key, state)
