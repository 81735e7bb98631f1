"""What one PyFlink operator does when it runs: the role it has on workers, its function and its options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planner.errors import UnsupportedOnSpark
from planner.frontends.python.declared.functions import TimeDomain
from planner.frontends.python.values.assigners import (
    DynamicEventTimeSessionWindows,
    EventTimeSessionWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from planner.frontends.python.values.rows import Row
from planner.frontends.python.values.triggers import EventTimeTrigger
from planner.frontends.python.values.windows import TimeWindow
from planner.job import Aggregate, Operator, PythonFunction, PythonRun, PythonWindow
from spark_runner.executor.window_shapes import WindowShape
from spark_runner.lowering.operator_parts import OperatorPart
from spark_runner.lowering.scripts.forms import form_of

__all__ = ["given_form", "part_of", "refused"]

_DOMAINS = {"event": TimeDomain.EVENT_TIME, "processing": TimeDomain.PROCESSING_TIME}
_PLAIN = {"map": "map", "flat_map": "flat_map", "filter": "filter", "process": "process", "async_map": "async_map"}
_KEYED = {"map": "keyed_map", "flat_map": "keyed_flat_map", "filter": "keyed_filter", "process": "keyed_process"}
_HELPERS = {
    "key_by": "key_of", "window_all": "key_of", "partition_custom": "key_of", "values": "values",
    "side_output": "pass", "watermarks": "watermarks", "row_data": "pass",
    "split_reader": "pass", "table_rows": "pass",
}  # fmt: skip
_CO = ("co_map", "co_flat_map", "co_process")
_REDUCES = ("reduce", "sum", "min", "max")


def refused(operator: Operator, what: str, hint: str) -> UnsupportedOnSpark:
    """A refusal that names the operator and its place."""
    return UnsupportedOnSpark(
        f"operator {operator.key!r} ({operator.name}) {what}", location=operator.location, hint=hint
    )


def part_of(operator: Operator, *, keyed: bool, batch: bool, selector: Any = None) -> OperatorPart:
    """The part of an operator. Raises UnsupportedOnSpark for what cannot run as PyFlink runs it."""
    if operator.helper is not None:
        return _helper(operator, keyed, batch, selector)
    if operator.kind in _CO:
        return _two_inputs(operator, keyed, batch)
    if operator.kind == "watermarks":
        return OperatorPart(role="watermarks")
    run = operator.run or PythonRun()
    if run.window is not None:
        shape = window_shape(run.window)
        role = "window" if shape.plain is not None else "triggered_window"
        return OperatorPart(role=role, keyed=True, options={"window": shape, "batch": batch})
    if operator.kind in _REDUCES:
        return _reduce(operator, batch)
    if run.fields:
        return OperatorPart(role="project", options={"fields": run.fields})
    function = _function(operator)
    if keyed and operator.kind in _KEYED:
        return OperatorPart(
            role=_KEYED[operator.kind], function=function, keyed=True, options={"batch": batch, "domains": _DOMAINS}
        )
    if operator.kind == "async_map":
        options = {"capacity": operator.capacity, "timeout": operator.timeout, "retries": run.retries}
        return OperatorPart(role="async_map", function=function, options=options)
    if operator.kind in _PLAIN:
        return OperatorPart(role=_PLAIN[operator.kind], function=function)
    raise refused(operator, f"is a {operator.kind}, which does not run on Spark", "leave it out of the job to run it")


def _function(operator: Operator) -> Any:
    behaviour = operator.behaviour
    if not isinstance(behaviour, PythonFunction) or behaviour.target is None:
        raise refused(operator, "has no Python function to run", "write it as map, flat_map, filter or process")
    return behaviour.target


def _helper(operator: Operator, keyed: bool, batch: bool, selector: Any) -> OperatorPart:
    helper = operator.helper
    if helper == "timestamps":
        behaviour = operator.behaviour
        if not isinstance(behaviour, PythonFunction):
            return OperatorPart(role="pass")  # Remove-Timestamp: the time travels beside the record here
        return OperatorPart(role="timestamps", function=behaviour.target)
    if helper == "values" and keyed:
        return OperatorPart(role="keyed_values", keyed=True, options={"batch": batch})
    if helper in ("key_by", "window_all"):
        return OperatorPart(role="key_of", function=_function(operator))
    if helper == "partition_custom":
        return OperatorPart(role="key_of", function=selector)
    if helper == "topic_selector":
        return OperatorPart(role="topic", function=_function(operator), options={"row": Row})
    if helper == "print":
        read = form_of((operator.run or PythonRun()).read_type)
        return OperatorPart(role="python_text", options={"rows": read[0] == "row"})
    if helper in _HELPERS or str(operator.name).startswith(
        "ConstraintEnforcer"
    ):  # the rows that come have no nulls there
        return OperatorPart(role=_HELPERS.get(str(helper), "pass"))
    if helper == "table_step":
        raise refused(
            operator, "computes columns or watermarks of a table, which only Flink does",
            "compute them with map(), and assign watermarks to the stream",
        )  # fmt: skip
    raise refused(
        operator, f"is PyFlink's helper for {helper}, which does not run on Spark", "see docs/pyflink.md for what does"
    )


def _two_inputs(operator: Operator, keyed: bool, batch: bool) -> OperatorPart:
    function = _function(operator)
    if operator.python == "broadcast":
        role = "keyed_broadcast_process" if keyed else "broadcast_process"
        return OperatorPart(role=role, function=function, keyed=keyed, options={"batch": batch, "domains": _DOMAINS})
    role = "keyed_co_process" if keyed else "co_process"
    return OperatorPart(role=role, function=function, keyed=keyed, options={"batch": batch, "domains": _DOMAINS})


def _reduce(operator: Operator, batch: bool) -> OperatorPart:
    behaviour = operator.behaviour
    options: dict[str, Any] = {"batch": batch}
    if isinstance(behaviour, Aggregate):
        options["accumulate"] = (operator.kind, behaviour.field, behaviour.whole)
        return OperatorPart(role="reduce", keyed=True, options=options)
    return OperatorPart(role="reduce", function=_function(operator), keyed=True, options=options)


def window_shape(window: PythonWindow) -> WindowShape:
    """A script's window. One of PyFlink's own assigners of event time with its own trigger is plain."""
    assigner = window.assigner
    shape = WindowShape(
        form=window.form,
        function=window.function,
        window_function=window.window_function,
        all_records=window.all_records,
        lateness=window.lateness,
        late_tag=window.late_tag,
        window_class=TimeWindow,
        assigner=assigner,
        trigger=window.trigger,
    )
    if type(window.trigger) is not EventTimeTrigger:
        return shape
    if type(assigner) is TumblingEventTimeWindows:
        return replace(shape, plain=("tumbling", assigner._size, None, assigner._offset))
    if type(assigner) is SlidingEventTimeWindows:
        return replace(shape, plain=("sliding", assigner._size, assigner._slide, assigner._offset))
    if type(assigner) is EventTimeSessionWindows:
        return replace(shape, plain=("session", assigner._session_gap, None, 0))
    if type(assigner) is DynamicEventTimeSessionWindows:
        return replace(shape, plain=("session", 1, None, 0), gap=assigner._extractor.extract)
    return shape


def given_form(operator: Operator) -> tuple[Any, ...]:
    """The form of the records that leave an operator; what helpers put in front of a record is no part of its type."""
    kind = (operator.run or PythonRun()).record_type
    if operator.helper in ("key_by", "window_all"):
        key, value = kind.get_field_types()
        return ("pair", form_of(key), form_of(value))
    if operator.helper == "partition_custom":
        return ("pair", ("any",), form_of(kind.get_field_types()[1]))
    if operator.helper == "timestamps" and operator.python is not None:
        return form_of(kind.get_field_types()[0])
    return ("as it is",) if operator.helper == "watermarks" or kind is None else form_of(kind)
