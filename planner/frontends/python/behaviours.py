"""Windows and watermarks as a job definition has them for Flink's Java API: numbers and functions, no objects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planner.flink.defaults import EXPONENTIAL_DELAY_MULTIPLIER
from planner.frontends.python.differences import milliseconds, wrong
from planner.frontends.python.values.assigners import (
    CountSlidingWindowAssigner,
    CountTumblingWindowAssigner,
    GlobalWindows,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
    WindowAssigner,
    gap_function,
)
from planner.frontends.python.values.assigners import _DynamicSessions as DynamicSessions
from planner.frontends.python.values.assigners import _FixedSessions as FixedSessions
from planner.frontends.python.values.triggers import CountTrigger, PurgingTrigger, Trigger
from planner.frontends.python.values.watermarks import WatermarkStrategy
from planner.job import PythonFunction, RestartStrategy, Watermarks, Window
from planner.settings.restart import restart_strategy

if TYPE_CHECKING:
    from planner.frontends.python.windowed import _Windows

__all__ = ["restart_of", "watermarks_of", "window_behaviour", "window_of"]


def window_of(assigner: Any) -> Window | None:
    """The windows of an assigner; None: of a class that Flink does not have."""
    if isinstance(assigner, TumblingEventTimeWindows | TumblingProcessingTimeWindows):
        window = Window(assigner="tumbling", size=assigner._size, offset=assigner._offset)
    elif isinstance(assigner, SlidingEventTimeWindows | SlidingProcessingTimeWindows):
        window = Window(assigner="sliding", size=assigner._size, slide=assigner._slide, offset=assigner._offset)
    elif isinstance(assigner, FixedSessions):
        window = Window(assigner="session", size=assigner._session_gap)
    elif isinstance(assigner, DynamicSessions):
        window = Window(assigner="session", size=0, gap=PythonFunction(target=gap_function(assigner._extractor)))
    elif isinstance(assigner, GlobalWindows):
        return Window(assigner="global", size=0)
    elif isinstance(assigner, CountTumblingWindowAssigner):
        return Window(assigner="count", size=assigner._window_size)
    elif isinstance(assigner, CountSlidingWindowAssigner):
        return Window(assigner="count", size=assigner._window_size, slide=assigner._window_slide)
    else:
        return None
    return window if assigner.is_event_time() else replace(window, by_clock=True)


def window_behaviour(windows: _Windows, form: Any, function: Any) -> Window:
    """What a window operator computes. Plain windows need no trigger: they fire at their end."""
    window, late = window_of(windows._window_assigner), windows._late_data_output_tag
    assert window is not None, "looked at when the window was declared"
    made = replace(
        window, form=form, function=PythonFunction(target=function), lateness=windows._allowed_lateness,
        late_tag=late.tag_id if late is not None else None, trigger=windows._window_trigger,
    )  # fmt: skip
    if made.is_plain or made.trigger is not None:
        return made
    return replace(made, trigger=_trigger(windows._window_assigner, made))


def _trigger(assigner: WindowAssigner, window: Window) -> Trigger:
    """The trigger that Flink has for a window where the job gives none."""
    if window.assigner == "count":
        return PurgingTrigger(CountTrigger(window.size))  # a full window takes no more records
    return assigner.get_default_trigger(None)


def watermarks_of(strategy: WatermarkStrategy) -> Watermarks | None:
    """The watermarks of a strategy; None: none."""
    assigner = strategy._timestamp_assigner
    if strategy.kind == "none" and assigner is None and strategy.idleness is None:
        return None
    column = assigner if isinstance(assigner, str) else None
    function = PythonFunction(target=assigner) if assigner is not None and column is None else None
    return Watermarks(
        time=column, assigner=function, out_of_orderness=strategy.out_of_orderness, idleness=strategy.idleness
    )


def restart_of(strategy: Any) -> RestartStrategy | None:
    """A restart strategy as a setting of the job; None: the cluster's."""
    if isinstance(strategy, RestartStrategy):
        return strategy
    made = strategy._calls[0]
    given, name = dict(made.arguments), made.name.rpartition(".")[2]
    if name == "no_restart":
        return RestartStrategy(type="none")
    if name == "fixed_delay_restart":
        delay = milliseconds(given["delay_between_attempts"])
        return RestartStrategy(type="fixed-delay", attempts=given["restart_attempts"], delay=delay)
    if name == "failure_rate_restart":
        interval, delay = milliseconds(given["failure_interval"]), milliseconds(given["delay_interval"])
        return RestartStrategy(
            type="failure-rate", attempts=given["failure_rate"], failure_interval=interval, delay=delay
        )
    if name != "exponential_delay_restart":
        return None
    multiplier = given.get("backoff_multiplier", EXPONENTIAL_DELAY_MULTIPLIER)
    if not multiplier >= 1:
        raise wrong(f"the back-off multiplier must be at least 1, found {multiplier}")
    first, longest = milliseconds(given["initial_backoff"]), milliseconds(given["max_backoff"])
    delays = {"delay": first, "max_delay": longest, "multiplier": float(multiplier)}
    return restart_strategy("exponential-delay", delays)
