"""Why saved state found no operator or does not fit, and what to change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from planner.errors import PlanError
from planner.graphs.state_lookup import may_have_uid_hash, written_for
from planner.graphs.stream_graph import StreamGraph, StreamNode
from planner.job import Operator
from planner.operators import node_label
from planner.pipeline import Plan
from planner.pipeline import plan as compile_plan
from planner.records import record
from planner.savepoints.contents import SavepointContents
from planner.savepoints.edits import Edit
from planner.savepoints.metadata import SavedOperator
from planner.savepoints.new_job import reduce_plan
from planner.savepoints.origins import SMALL_JOB, StateOwner
from planner.savepoints.verdict import RestoreVerdict, judge

_MOST_NAMES = 3


def reason_in_words(plan: Plan, saved: SavedOperator, origin: StateOwner | None) -> str:
    """One or two sentences: what became of the operator that saved the state."""
    if origin is None:
        if saved.uid is not None:
            return f"no operator has its uid {saved.uid!r} any more: the operator was removed, or its uid was changed"
        return "the operator was removed, its uid was changed, or the savepoint is of another job"
    if not origin.edits:
        return _by_elimination(plan, origin)
    return "; ".join(_edit(plan, edit, origin) for edit in origin.edits)


def _by_elimination(plan: Plan, origin: StateOwner) -> str:
    """An operator that fits and finds no state of its own, where no small change of the graph gives the saved id."""
    assert origin.node is not None
    node = plan.stream_graph.by_id[origin.node]
    what = "was removed" if node.uid is None else "was changed"
    return f"only {node_label(node)} fits and finds no state: probably its uid {what}"


def _edit(plan: Plan, edit: Edit, origin: StateOwner) -> str:
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
            whose = "its uid" if own else f"the uid of {names} upstream"
            return f"{whose} was {edit.uid!r} and {became}"
        case "uid added":
            uid = nodes[edit.nodes[0]].uid
            whose = "it" if own else f"{names} upstream"
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
            return f"{names} was added upstream, and generated ids hash everything upstream"
        case "branch added":
            return f"{names} {'was' if len(changed) == 1 else 'were'} added, and generated ids count the operators"
        case "operator removed":
            gone = "the operator was removed" if origin.node is None else "an operator was removed"
            ends = _ends(plan, edit).replace(" -> ", " and ")
            return f"{gone} between {ends}, and generated ids hash everything upstream"
        case "output removed":
            if origin.node is None:
                return f"the operator was downstream of {names} and was removed"
            return f"an operator downstream of {names} was removed, and generated ids count chained outputs"


def _one_of(plan: Plan, edit: Edit, origin: StateOwner) -> str:
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


@record
class StateFix:
    """What to set on an operator so that it finds its state: its old uid, or a uid hash."""

    node: StreamNode
    uid: str | None
    uid_hash: str

    @property
    def takes_hash(self) -> bool:
        """Whether the operator may have a uid hash; v2 sinks may not."""
        return may_have_uid_hash(self.node.operator)

    @property
    def written(self) -> tuple[str, ...]:
        """The settings as they are written in the job's file, each of which alone is enough."""
        operator = self.node.operator
        uid = [written_for(operator, uid=self.uid)] if self.uid is not None else []
        hashed = [written_for(operator, uid_hash=self.uid_hash)] if self.takes_hash else []
        return (*uid, *hashed)

    def to_dict(self) -> dict[str, Any]:
        """The fix as JSON-ready data."""
        return {
            "operator": self.node.operator.key,
            "uid": self.uid,
            "uid_hash": self.uid_hash if self.takes_hash else None,
            "written": list(self.written),
            "location": str(self.node.operator.location),
        }


def find_fix(node: StreamNode, saved: SavedOperator, origin: StateOwner | None) -> StateFix | None:
    """What to set on the operator that owns a saved state; None where nothing may be set."""
    old_uid = saved.uid if origin and any(edit.uid == saved.uid for edit in origin.edits) else None
    fix = StateFix(node=node, uid=old_uid if not node.after_writer else None, uid_hash=saved.id)
    return fix if fix.takes_hash or fix.uid else None


def judge_with_fixes(plan: Plan, contents: SavepointContents, fixes: Sequence[StateFix]) -> RestoreVerdict | None:
    """Flink's answer to the job with all fixes: uid hashes where they may be set, else the old uids."""
    changed = {fix.node.operator.id: _fixed(fix) for fix in fixes}
    if not changed:
        return None
    transformations = tuple(changed.get(each.id, each) for each in plan.job.transformations)
    job = replace(plan.job, transformations=transformations, compiled=_fixed_graph(plan.job.compiled, changed))
    try:
        compiled = compile_plan(job, until="job", flink=plan.flink)
    except PlanError:
        return None
    return judge(contents.metadata, reduce_plan(compiled))


def _fixed_graph(graph: StreamGraph | None, changed: Mapping[int, Operator]) -> StreamGraph | None:
    """The stream graph that Flink itself exported, with the fixes; None for a job that is compiled here."""
    if graph is None:
        return None
    nodes = (
        replace(node, uid=operator.uid, user_hash=operator.uid_hash, operator=operator)
        if (operator := changed.get(node.operator.id)) is not None
        else node
        for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))


def _fixed(fix: StateFix) -> Operator:
    operator = fix.node.operator
    return replace(operator, uid_hash=fix.uid_hash) if fix.takes_hash else replace(operator, uid=fix.uid)
