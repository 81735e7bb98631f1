"""Which operators keep state that a restored job would look for.

| state | operators |
| --- | --- |
| keyed | on a keyed stream: sum, min, max, reduce, windows, process, joins, and functions with an `open` method |
| operator | sources (how far each split was read), async_map (records in flight), sinks with a committer |
| possible | other sinks, multi_input, process and co_process without a key, sources of a fixed collection; on a keyed |
|  | stream map, flat_map, filter, co_map and co_flat_map whose function is only named, or not given |
| none | map, flat_map, filter, co_map, co_flat_map otherwise, watermarks, print |

`possible` counts as state wherever losing it is the question; only `stateful-without-uid` asks for certainty.
"""

from __future__ import annotations

from typing import Literal

from planner.graphs.stream_graph import StreamNode
from planner.job import Collection, JobDefinition, Operator, PythonFunction, Sequence
from planner.kinds import STATELESS

State = Literal["keyed", "operator", "possible", "none"]

_DESCRIPTIONS: dict[State, str] = {
    "keyed": "keyed state",
    "operator": "operator state",
    "possible": "state, if its function has any",
    "none": "no state",
}


def state_of(job: JobDefinition, node: StreamNode) -> State:
    """What kind of state the stream node keeps."""
    operator = node.operator
    if operator.python is not None:
        return _of_python(operator)
    if operator.kind == "source":
        return "possible" if isinstance(operator.behaviour, Collection | Sequence) else "operator"
    if job.is_keyed(operator):
        return _of_keyed(operator)
    if operator.kind == "async_map" or (operator.kind == "sink" and operator.committer):
        return "operator"
    return "none" if operator.kind in STATELESS else "possible"


def _of_python(operator: Operator) -> State:
    """PyFlink gives state to keyed functions and broadcast state; of merged operators only the first is keyed."""
    if operator.python == "broadcast":
        return "operator"
    return _of_keyed(operator) if operator.python == "keyed" and operator.helper is None else "none"


def _of_keyed(operator: Operator) -> State:
    """A function reaches keyed state through the context that `open` gets; a plain function or an expression cannot."""
    if operator.kind not in STATELESS:
        return "keyed"
    function = operator.behaviour
    if function is None or (isinstance(function, PythonFunction) and function.target is None):
        return "possible" if operator.kind not in ("watermarks", "print") else "none"
    return "keyed" if isinstance(function, PythonFunction) and _opens(function.target) else "none"


def _opens(target: object) -> bool:
    """Whether the user's own class has an `open`; the interface's does nothing."""
    return any(
        "open" in vars(kind) for kind in type(target).__mro__ if not kind.__module__.startswith("planner.frontends.")
    )


def describe_state(state: State) -> str:
    """The state in words, as the object of "keeps"."""
    return _DESCRIPTIONS[state]
