"""What workers get of an operator of our own API: its function and its options, in a batch and in a stream."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from planner.job import Aggregate, Operator, Watermarks, Window
from spark_runner.executor.rows import field_getter
from spark_runner.executor.window_shapes import RecordAssigner, TimeAssigner, WindowShape
from spark_runner.program.program import Key

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["partitioner_of", "selector_of", "stamper_of", "worker_part"]


def worker_part(operator: Operator) -> tuple[Any, dict[str, Any]]:
    """The function that an operator calls, and its options."""
    behaviour: Any = operator.behaviour
    if isinstance(behaviour, Window):
        return None, {"window": _window(behaviour)}
    if isinstance(behaviour, Watermarks):
        return stamper_of(behaviour), {"delay": behaviour.out_of_orderness or 0}
    if isinstance(behaviour, Aggregate):
        return None, {"aggregate": (operator.kind, behaviour.field)}
    options = {}
    if operator.kind == "async_map":
        options = {"capacity": operator.capacity, "timeout": operator.timeout}
    return getattr(behaviour, "target", None), options


def _window(window: Window) -> WindowShape:
    function = window.function.target if window.function is not None else None
    gap = window.gap.target if window.gap is not None else None
    timed = window.assigner in ("tumbling", "sliding", "session")
    plain = timed and not window.by_clock and window.trigger is None
    bounds = (window.assigner, window.size, window.slide, window.offset)
    return WindowShape(
        form=window.form,
        function=function,
        lateness=int(window.lateness or 0),
        late_tag=window.late_tag,
        plain=bounds if plain else None,
        gap=gap if plain else None,
        assigner=None if plain else _assigner(window, gap),
        trigger=window.trigger,
    )


def _assigner(window: Window, gap: Callable[[Any], int] | None) -> TimeAssigner | RecordAssigner:
    if window.assigner in ("count", "global"):
        return RecordAssigner(kind=window.assigner, size=window.size, slide=window.slide)
    return TimeAssigner(
        kind=window.assigner, size=window.size, slide=window.slide, offset=window.offset, by_clock=window.by_clock,
        gap=gap,
    )  # fmt: skip


def selector_of(key: Key, schema_of: Callable[[str], pa.Schema]) -> Callable[[Any], Any]:
    """The function that gives a record's key, in its declared type."""
    if key.paired:
        return itemgetter(0)
    if key.selector is None:
        getters = [field_getter(name) for name in key.columns]
        return getters[0] if len(getters) == 1 else lambda record: tuple(get(record) for get in getters)
    select = _method(key.selector.target, "get_key")
    if key.type is None:
        return select
    from spark_runner.executor.conversion import TypedKey, columns_form  # needs pyarrow, which plans do without

    return TypedKey(select, columns_form(schema_of(key.type)))


def partitioner_of(target: Any) -> Callable[[Any, int], int]:
    """The function that chooses a subtask for a key."""
    return _method(target, "partition")


def _method(target: Any, name: str) -> Callable[..., Any]:
    """A method of a function object or of its class, or the function itself."""
    made = target() if isinstance(target, type) else target
    found: Callable[..., Any] = getattr(made, name, made)
    return found


def stamper_of(behaviour: Watermarks) -> Any:
    """What gives a record's event time."""
    if behaviour.assigner is not None:
        return behaviour.assigner.target
    if behaviour.time is None:
        return None
    read = field_getter(behaviour.time)

    def millis(record: Any) -> int:
        value = read(record)
        if isinstance(value, datetime.datetime):
            zoned = value if value.tzinfo is not None else value.replace(tzinfo=datetime.UTC)
            return int(zoned.timestamp() * 1000)
        return int(value)

    return millis
