"""Why a saved state is not found, in words."""

from __future__ import annotations

from planner.operators import node_label
from planner.pipeline import Plan
from planner.savepoints.edits import Edit
from planner.savepoints.metadata import SavedOperator
from planner.savepoints.origins import SMALL_JOB, Origin

_MOST_NAMES = 3

__all__ = ["reason_in_words"]


def reason_in_words(plan: Plan, saved: SavedOperator, origin: Origin | None) -> str:
    """One or two sentences: what became of the operator that saved the state."""
    if origin is None:
        if saved.uid is not None:
            return f"no operator has its uid {saved.uid!r} any more: the operator was removed, or its uid was changed"
        return "the operator was removed, its uid was changed, or the savepoint is of another job"
    if not origin.edits:
        return _by_elimination(plan, origin)
    return "; ".join(_edit(plan, edit, origin) for edit in origin.edits)


def _by_elimination(plan: Plan, origin: Origin) -> str:
    """An operator that fits and finds no state of its own, where no small change of the graph gives the saved id."""
    assert origin.node is not None
    node = plan.stream_graph.by_id[origin.node]
    what = "was removed" if node.uid is None else "was changed"
    return f"only {node_label(node)} fits and finds no state: probably its uid {what}"


def _edit(plan: Plan, edit: Edit, origin: Origin) -> str:
    nodes = plan.stream_graph.by_id
    changed = [node_label(nodes[number]) for number in edit.nodes if number in nodes]
    names = " and ".join(changed)
    if edit.kind == "operator added" and edit is origin.edits[-1]:
        names = _one_of(plan, edit, origin)
    own = edit.nodes[:1] == (origin.node,)
    match edit.kind:
        case "uid changed":
            node = nodes[edit.nodes[0]]
            became = "is gone" if node.uid is None else f"is {node.uid!r} now"
            whose = "its uid" if own else f"the uid of {names} before it"
            return f"{whose} was {edit.uid!r} and {became}"
        case "uid added":
            uid = nodes[edit.nodes[0]].uid
            whose = "it" if own else f"{names} before it"
            return f"{whose} got the uid {uid!r}, which is another id than the generated one"
        case "chain broken":
            return (
                f"{_ends(plan, edit)} no longer chains{_obstacle(plan, edit)}, and generated ids count chained outputs"
            )
        case "chain formed":
            return f"{_ends(plan, edit)} chains now, and generated ids count chained outputs"
        case "chaining off":
            return "chaining was switched off for the job, and generated ids count chained outputs"
        case "chaining on":
            return "chaining was switched on for the job, and generated ids count chained outputs"
        case "operator added":
            return f"{names} was added before it, and generated ids hash all operators before them"
        case "branch added":
            return f"{names} {'was' if len(changed) == 1 else 'were'} added, and generated ids count the operators"
        case "operator removed":
            gone = "the operator was removed" if origin.node is None else "an operator was removed"
            return f"{gone} between {_ends(plan, edit).replace(' -> ', ' and ')}, and generated ids hash what is before"
        case "output removed":
            if origin.node is None:
                return f"the operator stood behind {names} and was removed"
            return f"an operator behind {names} was removed, and generated ids count chained outputs"


def _one_of(plan: Plan, edit: Edit, origin: Origin) -> str:
    """The operator that was added, or those one of which it was: the ids do not always tell."""
    nodes = plan.stream_graph.by_id
    numbers = dict.fromkeys(
        number for each in (edit, *origin.instead) for number in each.nodes if number != origin.node
    )
    if len(numbers) > _MOST_NAMES or len(nodes) > SMALL_JOB:
        return "an operator"
    return " or ".join(node_label(nodes[number]) for number in sorted(numbers))


def _ends(plan: Plan, edit: Edit) -> str:
    edges = plan.stream_graph.edges
    if edit.edge is None or edit.edge >= len(edges):
        return "an edge"
    edge = edges[edit.edge]
    nodes = plan.stream_graph.by_id
    return f"{node_label(nodes[edge.source])} -> {node_label(nodes[edge.target])}"


def _obstacle(plan: Plan, edit: Edit) -> str:
    if edit.edge is None or edit.edge >= len(plan.obstacles) or not plan.obstacles[edit.edge]:
        return ""
    first = plan.obstacles[edit.edge][0]
    return f" ({first.values})"
